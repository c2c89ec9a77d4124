import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { Badge, Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';

/** What models answered, as it came. Fetched when asked for, because it holds what people said. */
export function Answers({ id }: Readonly<{ id: string }>) {
  const [isAsked, setAsked] = useState(false);
  const answers = useQuery({
    queryKey: ['extractions', 'answers', id],
    queryFn: ({ signal }) => client.extractions.answers(id, { signal }),
    enabled: isAsked,
  });
  if (!isAsked) return <Button onClick={() => setAsked(true)}>Show the raw answers</Button>;
  return (
    <Loaded query={answers} what="the answers">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No answer is kept.">
            <p>Rules answer without a model, and retention removes answers after a while.</p>
          </Empty>
        ) : (
          <ol className="messages">
            {data.map((answer, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- answers only ever follow
              <li key={index} className="message">
                <p className="message-head">
                  <strong>{toWords(answer.purpose)}</strong> <Badge>{answer.status}</Badge>
                  <Time at={answer.at} />
                  <VisibleText text={answer.model} />
                  {answer.finish_reason !== null && <span>ended: {toWords(answer.finish_reason)}</span>}
                </p>
                <pre className="raw">
                  <VisibleText text={answer.raw} />
                </pre>
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
