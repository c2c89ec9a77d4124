import { Fragment } from 'react';
import { splitHidden } from './visible-characters.ts';

/**
 * Text of users and models: always text, kept apart from the direction of what is around it, with invisible characters
 * shown by their codes. `marks` are words to highlight.
 */
export function VisibleText({ text, clamp }: Readonly<{ text: string; clamp?: boolean }>) {
  return (
    <bdi className={clamp === true ? 'stored-text clamp' : 'stored-text'}>
      <Pieces text={text} />
    </bdi>
  );
}

/** The same without an element of its own, for parts of a text. */
export function Pieces({ text }: Readonly<{ text: string }>) {
  return splitHidden(text).map((piece, index) =>
    'text' in piece ? (
      // oxlint-disable-next-line react/no-array-index-key -- pieces have no identity but their place
      <Fragment key={index}>{piece.text}</Fragment>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- as above
      <span key={index} className="hidden-character" title={piece.name}>
        {piece.code}
      </span>
    ),
  );
}
