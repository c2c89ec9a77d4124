import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyButton } from '../ui/small.tsx';

/** Shows a secret the one time that it can be seen. */
export function SecretDialog({
  secret,
  title,
  onClose,
}: Readonly<{ secret: string | null; title: string; onClose: () => void }>) {
  return (
    <Dialog open={secret !== null} onClose={onClose} title={title}>
      <div className="dialog-text">
        <p>Copy it now: it is shown this once, and only its hash is kept.</p>
        <code className="secret">{secret}</code>
      </div>
      <div className="dialog-actions">
        <CopyButton label="Copy" text={secret ?? ''} />
        <Button variant="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
