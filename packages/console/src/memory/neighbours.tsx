import type { Memory } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client.ts';
import { formatScore } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Rows } from '../ui/rows.tsx';
import { Badge } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';

/** The memories of the same user that are nearest in meaning: what may say the same, or the opposite. */
export function Neighbours({ memory }: Readonly<{ memory: Memory }>) {
  const neighbours = useQuery({
    queryKey: ['memory', memory.id, 'neighbours'],
    queryFn: ({ signal }) => client.memories.neighbours(memory.id, {}, { signal }),
  });
  return (
    <Loaded query={neighbours} what="the neighbours">
      {({ data, has_vector: hasVector }) => (
        <>
          {data.length === 0 ? (
            <Empty title={hasVector ? 'No other memory is near.' : 'It has no vector to compare with.'}>
              {!hasVector && (
                <p>
                  Vectors follow a moment after a memory is stored, where an embedding model is configured.
                </p>
              )}
            </Empty>
          ) : (
            <Rows
              caption="Nearest memories"
              rows={data}
              keyOf={({ memory: { id } }) => id}
              columns={[
                { header: 'Similarity', isNumber: true, cell: ({ similarity }) => formatScore(similarity) },
                {
                  header: 'Memory',
                  cell: ({ memory: { id, content } }) => (
                    <Link to="/memories/$id" params={{ id }}>
                      <VisibleText text={content} />
                    </Link>
                  ),
                },
                { header: 'Category', cell: ({ memory: { category } }) => <Badge>{category}</Badge> },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
