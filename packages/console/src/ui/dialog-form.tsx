import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { ErrorNotice } from './states.tsx';

/** What a form sends, and how that stands: a mutation without variables. */
type Sending = Readonly<{ mutate: () => void; isPending: boolean; isError: boolean; error: unknown }>;

/** A form in a window over the page: its fields, what was wrong with them, and the button that sends it. */
export function DialogForm({
  title,
  action,
  sending,
  onClose,
  children,
}: Readonly<{
  title: string;
  action: string;
  sending: Sending;
  onClose: () => void;
  children: ReactNode;
}>) {
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form onSend={sending.mutate}>
        {children}
        {sending.isError && <ErrorNotice error={sending.error} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={sending.isPending}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
