import type { ReactNode } from 'react';

/** A form that this page sends itself. */
export function Form({
  onSend,
  className = 'form',
  children,
}: Readonly<{ onSend: () => void; className?: string; children: ReactNode }>) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}
