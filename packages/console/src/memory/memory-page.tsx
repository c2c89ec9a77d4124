import type { Memory } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { useMemoryActions } from '../memories/memory-changes.ts';
import { ActionButtons } from '../memories/memory-columns.tsx';
import { MemoryForm } from '../memories/memory-form.tsx';
import { StateBadge } from '../memories/state-badge.tsx';
import { useAccess } from '../session/session.ts';
import { formatScore } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { Badge, Facts, PageHead, Section, Time } from '../ui/small.tsx';
import { Loaded } from '../ui/states.tsx';
import { Neighbours } from './neighbours.tsx';
import { Sources } from './sources.tsx';
import { TimelineView } from './timeline-view.tsx';
import { Versions } from './versions.tsx';

/** One memory: what it says, since when, how it came to be known, what it rests on, and what is like it. */
export function MemoryPage() {
  const id = useParams({ strict: false }).id ?? '';
  const memory = useQuery({
    queryKey: ['memory', id],
    queryFn: ({ signal }) => client.memories.get(id, { include_deleted: true }, { signal }),
  });
  const history = useQuery({
    queryKey: ['memory', id, 'history'],
    queryFn: ({ signal }) => client.memories.history(id, {}, { signal }),
  });
  return (
    <Loaded query={memory} what="the memory">
      {(data) => (
        <>
          <Head memory={data} />
          <Loaded query={history} what="the history">
            {({ data: versions }) => (
              <>
                <Section title="Timeline">
                  <TimelineView versions={versions} memory={data} />
                </Section>
                <div className="two-columns">
                  <Section title="Where it comes from">
                    <Sources memory={data} />
                  </Section>
                  <Section title="Versions">
                    <Versions versions={versions} memoryId={id} />
                  </Section>
                </div>
              </>
            )}
          </Loaded>
          <Section title="Neighbours">
            <Neighbours memory={data} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function Head({ memory }: Readonly<{ memory: Memory }>) {
  const { canWrite } = useAccess();
  const act = useMemoryActions();
  const [isEditing, setEditing] = useState(false);
  const isWritable = canWrite('memory.write');
  return (
    <>
      <PageHead title={<VisibleText text={memory.content} />} name="Memory">
        <div className="page-actions">
          <StateBadge state={memory.state} /> <Badge>{memory.kind}</Badge>
          {isWritable && memory.state === 'current' && <Button onClick={() => setEditing(true)}>Edit</Button>}
          {isWritable && <ActionButtons memory={memory} act={act} />}
        </div>
      </PageHead>
      {memory.superseded_by !== null && (
        <p className="notice">
          A newer statement took its place:{' '}
          <Link to="/memories/$id" params={{ id: memory.superseded_by }}>
            show it
          </Link>
        </p>
      )}
      <Facts facts={factsOf(memory)} />
      {isEditing && <MemoryForm onClose={() => setEditing(false)} userId={memory.user_id} memory={memory} />}
    </>
  );
}

function factsOf(memory: Memory) {
  const text = (value: string | null) =>
    value === null || value === '' ? null : <VisibleText text={value} />;
  return {
    User: (
      <Link to="/users/$id" params={{ id: memory.user_id }}>
        <VisibleText text={memory.user_id} />
      </Link>
    ),
    Category: text(memory.key === null ? memory.category : `${memory.category}/${memory.key}`),
    Question: text(memory.question),
    Answer: text(memory.answer),
    Tier: memory.tier,
    Importance: formatScore(memory.importance),
    Confidence: `${memory.confidence} of 100`,
    Source: text(memory.source),
    'Source context': text(memory.source_context),
    Scope: text(memory.scope),
    Project: text(memory.project),
    Topic: text(memory.topic),
    Tags: text(memory.tags.join(', ')),
    'Valid from': <Time at={memory.valid_from} />,
    'Valid to': memory.valid_to === null ? null : <Time at={memory.valid_to} />,
    Created: <Time at={memory.created_at} />,
    'Last stated': <Time at={memory.last_verified_at} ago />,
    Expires: memory.expires_at === null ? null : <Time at={memory.expires_at} />,
    Used: `${memory.access_count} times`,
    Extraction:
      memory.provenance.extraction_id === null ? null : (
        <Link to="/extractions/$id" params={{ id: memory.provenance.extraction_id }}>
          how it was extracted
        </Link>
      ),
  };
}
