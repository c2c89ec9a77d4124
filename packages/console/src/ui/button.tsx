import type { ComponentProps } from 'react';

export type ButtonVariant = 'plain' | 'primary' | 'danger' | 'quiet';

/** A button; never submits a form unless told so. */
export function Button({
  variant = 'plain',
  type = 'button',
  className = '',
  ...rest
}: ComponentProps<'button'> & Readonly<{ variant?: ButtonVariant }>) {
  return <button {...rest} type={type} className={`button ${variant} ${className}`} />;
}
