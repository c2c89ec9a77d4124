import { formatCount, toWords } from '../text/format.ts';
import { Button } from './button.tsx';

/** How many there are of each code, without those of which there is none. With `choose`, each is a filter. */
export function CountGroup({
  name,
  counts,
  chosen,
  choose,
}: Readonly<{
  name: string;
  counts: Readonly<Record<string, number>>;
  chosen?: string;
  choose?: (code: string) => void;
}>) {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  if (entries.length === 0) return null;
  return (
    <div role="group" aria-label={name} className="count-group">
      <span className="muted">{name}:</span>
      {entries.map(([code, count]) =>
        choose === undefined ? (
          <span key={code}>
            {toWords(code)} <strong>{formatCount(count)}</strong>
          </span>
        ) : (
          <Button
            key={code}
            variant="quiet"
            aria-pressed={chosen === code}
            onClick={() => choose(chosen === code ? '' : code)}
          >
            {toWords(code)}&nbsp;<strong>{formatCount(count)}</strong>
          </Button>
        ),
      )}
    </div>
  );
}
