import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useCallback } from 'react';

/** Room for short messages at the bottom of the page; F6 moves the focus there. */
export function ToastRoom({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <Toast.Provider timeout={12_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" swipeDirection={[]}>
      <Toast.Content className="toast-content">
        <Toast.Title className="toast-title" render={<p />} />
        <Toast.Description className="muted" render={<p />} />
        <Toast.Action className="button" />
        <Toast.Close className="button quiet" aria-label="Close this message">
          ✕
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

export type Tell = (title: string, undo?: () => void, label?: string) => void;

/** Tells what was done, with a button that takes it back. */
export function useTell(): Tell {
  const { add, close } = Toast.useToastManager();
  return useCallback(
    (title, undo, label = 'Undo') => {
      const id = add({
        title,
        ...(undo === undefined
          ? {}
          : {
              actionProps: {
                children: label,
                onClick: () => {
                  close(id);
                  undo();
                },
              },
            }),
      });
    },
    [add, close],
  );
}
