/** What `npm start -- --help` prints. */
export const HELP = `npm start runs Factmill in one process: API, workers, search, database and queue.

It takes no arguments. Settings are environment variables, or lines of .env; .env.example explains them all.

  GATEWAY_PORT=9000 npm start                     another port
  DATA_DIR=/var/lib/factmill npm start            another data folder
  LLM_BASE_URL=http://127.0.0.1:11434/v1 LLM_MODEL=qwen3:8b npm start
                                                  extraction by a model instead of rules

  npm run demo                      plays a conversation (in another terminal)
  npm run factmill -- --help        operator commands

`;
