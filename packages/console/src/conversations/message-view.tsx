import type { Message } from '@factmill/contracts';
import type { ReactNode } from 'react';
import { VisibleText } from '../text/visible-text.tsx';
import { Badge, Time } from '../ui/small.tsx';

/** A message as it was stored. A marked one is what something rests on. */
export function MessageView({
  message,
  isMarked = false,
  children,
}: Readonly<{ message: Message; isMarked?: boolean; children?: ReactNode }>) {
  const { role, name, channel, sender, content, created_at: at } = message;
  return (
    <li className={isMarked ? 'message source' : 'message'}>
      <p className="message-head">
        <strong>{role}</strong>
        {name !== null && <VisibleText text={name} />}
        {channel !== null && <Badge>{channel}</Badge>}
        {sender !== null && <VisibleText text={sender} />}
        <Time at={at} />
        {isMarked && <Badge tone="accent">source</Badge>}
        {message.superseded && <Badge tone="warn">replaced</Badge>}
      </p>
      {message.removed_at !== null ? (
        <p className="muted">
          Its text was removed by retention on <Time at={message.removed_at} />.
        </p>
      ) : (
        content !== null && (
          <p className="prose">
            <VisibleText text={content} />
          </p>
        )
      )}
      {message.tool_calls !== null && (
        <pre className="raw">
          <VisibleText text={JSON.stringify(message.tool_calls, null, 2)} />
        </pre>
      )}
      {children}
    </li>
  );
}
