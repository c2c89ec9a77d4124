import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { ErrorNotice } from './states.tsx';

type Opened = Readonly<{ open: boolean; onClose: () => void; title: string; children: ReactNode }>;

/** A window over the page; Escape closes it, and the focus goes back to where it was. */
export function Dialog({ open, onClose, title, children }: Opened) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Popup className="dialog">
          <BaseDialog.Title className="dialog-title">{title}</BaseDialog.Title>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Asks before something that cannot be undone. `word` has to be typed first, where much is at stake. */
export function Confirm({
  open,
  onClose,
  title,
  children,
  action,
  word,
  onConfirm,
}: Opened & Readonly<{ action: string; word?: string; onConfirm: () => Promise<unknown> }>) {
  const [typed, setTyped] = useState('');
  const [state, setState] = useState<Readonly<{ isBusy: boolean; error?: unknown }>>({ isBusy: false });
  const close = () => {
    setTyped('');
    setState({ isBusy: false });
    onClose();
  };
  const confirm = () => {
    setState({ isBusy: true });
    onConfirm().then(close, (error: unknown) => setState({ isBusy: false, error }));
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div className="dialog-text" />}>
            {children}
          </AlertDialog.Description>
          {word !== undefined && (
            <label className="field">
              Type <code>{word}</code> to confirm
              <input value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" />
            </label>
          )}
          {state.error !== undefined && <ErrorNotice error={state.error} />}
          <div className="dialog-actions">
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="danger"
              disabled={state.isBusy || (word !== undefined && typed !== word)}
              onClick={confirm}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
