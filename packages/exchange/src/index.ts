export { OPENCLAW, readOpenClaw } from './read-openclaw.ts';
export { parseExport, toExportHeader, toExportLine } from './json-lines.ts';
