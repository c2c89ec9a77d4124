import type { ContextResponse, SearchResponse } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatDuration, formatScore, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Badge, CopyButton, Facts, Section } from '../ui/small.tsx';
import { Degraded, Empty, Loaded } from '../ui/states.tsx';
import { Candidates } from './candidates.tsx';
import { type Setting, toContextBody, toSearchBody } from './settings.ts';
import { toCurl, toTypeScript } from './snippets.ts';

type Asked = Readonly<{ query: string; user: string; canReadAll: boolean }>;

/** What one setting makes of the query: candidates and their fate, the verdict of the gate, the block for a prompt. */
export function SearchAnswer({
  title,
  asked,
  setting,
  run,
}: Readonly<{ title: string; asked: Asked; setting: Setting; run: string }>) {
  const { session } = useAccess();
  const searchBody = toSearchBody(asked, setting);
  const contextBody = toContextBody(asked, setting);
  const search = useQuery({
    queryKey: ['playground', 'search', searchBody, run],
    queryFn: ({ signal }) => client.memories.search(searchBody, { signal }),
    staleTime: Infinity,
  });
  const isOfOneUser = asked.user !== '' || session.user_id !== null;
  const context = useQuery({
    queryKey: ['playground', 'context', contextBody, run],
    queryFn: ({ signal }) => client.context(contextBody, { signal }),
    staleTime: Infinity,
    enabled: isOfOneUser && setting.as_of === '',
  });
  return (
    <div className="answer">
      <Section
        title={title}
        actions={<CopyButtons path="/v1/memories/search" call="memories.search" body={searchBody} />}
      >
        <Loaded query={search} what="the results">
          {(data) => <Found response={data} />}
        </Loaded>
      </Section>
      <Section
        title="Block for the prompt"
        actions={<CopyButtons path="/v1/context" call="context" body={contextBody} />}
      >
        {!isOfOneUser || setting.as_of !== '' ? (
          <Empty title={isOfOneUser ? 'A prompt is always of today.' : 'A prompt is of one user.'}>
            <p>{isOfOneUser ? 'Leave “As of” empty to see the block.' : 'Name a user to see the block.'}</p>
          </Empty>
        ) : (
          <Loaded query={context} what="the block">
            {(data) => <Block context={data} />}
          </Loaded>
        )}
      </Section>
    </div>
  );
}

function CopyButtons({ path, call, body }: Readonly<{ path: string; call: string; body: unknown }>) {
  const { status } = useAccess();
  const needsKey = status.auth === 'required';
  const { origin } = window.location;
  return (
    <span className="row-actions">
      <CopyButton label="Copy as curl" text={toCurl(origin, path, body, needsKey)} />
      <CopyButton label="Copy as TypeScript" text={toTypeScript(origin, call, body, needsKey)} />
    </span>
  );
}

function Found({ response }: Readonly<{ response: SearchResponse }>) {
  const { results, mode, degraded, relevance, skipped, explain } = response;
  if (skipped !== undefined) return <Empty title={skipped.detail} />;
  return (
    <>
      <Degraded reasons={degraded} />
      <Facts
        facts={{
          Mode: mode,
          Results: results.length,
          'Words looked for': explain === undefined ? null : <VisibleText text={explain.terms.join(' · ')} />,
          'Found by': explain === undefined ? null : <Counted counts={explain.candidates} />,
          'Left out by': explain === undefined ? null : <Counted counts={explain.dropped} />,
          'Relevance by':
            relevance === undefined ? null : `${relevance.by}, at least ${formatScore(relevance.threshold)}`,
          Took:
            explain === undefined
              ? null
              : Object.entries(explain.timings_ms)
                  .map(([stage, ms]) => `${toWords(stage)} ${formatDuration(ms)}`)
                  .join(' · '),
        }}
      />
      <Candidates response={response} />
    </>
  );
}

function Counted({ counts }: Readonly<{ counts: Readonly<Record<string, number>> }>) {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return entries.length === 0
    ? 'none'
    : entries.map(([name, count]) => `${toWords(name)} ${count}`).join(' · ');
}

function Block({ context }: Readonly<{ context: ContextResponse }>) {
  const { text = '', tokens, gated, degraded, skipped, explain } = context;
  if (skipped !== undefined) return <Empty title={skipped.detail} />;
  return (
    <>
      <Degraded reasons={degraded} />
      <p>
        <Badge tone={gated === true ? 'warn' : 'ok'}>
          {gated === true ? 'gate: no memories needed' : 'gate: memories looked for'}
        </Badge>{' '}
        {explain !== undefined && (
          <span className="muted">
            taken for {toWords(explain.gate.reason)}
            {explain.gate_applies ? '' : ' (does not apply here)'}
          </span>
        )}{' '}
        <strong>{tokens}</strong> tokens (estimated)
      </p>
      {text === '' ? (
        <Empty title="The block is empty: nothing goes into the prompt." />
      ) : (
        <>
          <pre className="raw">
            <VisibleText text={text} />
          </pre>
          <CopyButton label="Copy the block" text={text} />
        </>
      )}
    </>
  );
}
