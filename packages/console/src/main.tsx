import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/views.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.ts';
import { ToastRoom } from './ui/toasts.tsx';

applyTheme();
const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      {/* The content security policy refuses style elements. */}
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={createQueries()}>
          <ToastRoom>
            <RouterProvider router={router} />
          </ToastRoom>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
