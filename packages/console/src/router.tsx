import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Gate } from './session/gate.tsx';
import { HomePage } from './shell/home-page.tsx';
import { ErrorNotice, Loading } from './ui/states.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { parsePlainSearch, stringifyPlainSearch } from './text/plain-search.ts';
import type { UrlSearch } from './url-search.ts';

const root = createRootRoute({
  component: Gate,
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error }) => <ErrorNotice error={error} />,
  validateSearch: (search) => search as UrlSearch,
});
const getParentRoute = () => root;

const routes = [
  createRoute({ getParentRoute, path: '/', component: HomePage }),
  createRoute({
    getParentRoute,
    path: '/first-memory',
    component: lazyRouteComponent(() => import('./first-run/first-run-page.tsx'), 'FirstRunPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/users',
    component: lazyRouteComponent(() => import('./users/users-page.tsx'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/users/$id',
    component: lazyRouteComponent(() => import('./users/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/memories',
    component: lazyRouteComponent(() => import('./memories/memories-page.tsx'), 'MemoriesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/memories/$id',
    component: lazyRouteComponent(() => import('./memory/memory-page.tsx'), 'MemoryPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/search',
    component: lazyRouteComponent(() => import('./playground/playground-page.tsx'), 'PlaygroundPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/conversations',
    component: lazyRouteComponent(
      () => import('./conversations/conversations-page.tsx'),
      'ConversationsPage',
    ),
  }),
  createRoute({
    getParentRoute,
    path: '/conversations/$id',
    component: lazyRouteComponent(() => import('./conversations/conversation-page.tsx'), 'ConversationPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/extractions',
    component: lazyRouteComponent(() => import('./extractions/extractions-page.tsx'), 'ExtractionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/extractions/$id',
    component: lazyRouteComponent(() => import('./extractions/extraction-page.tsx'), 'ExtractionPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/replays',
    component: lazyRouteComponent(() => import('./replays/replays-page.tsx'), 'ReplaysPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/replays/$id',
    component: lazyRouteComponent(() => import('./replays/replay-page.tsx'), 'ReplayPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/health',
    component: lazyRouteComponent(() => import('./health/health-page.tsx'), 'HealthPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/administration',
    component: lazyRouteComponent(
      () => import('./administration/administration-page.tsx'),
      'AdministrationPage',
    ),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  parseSearch: parsePlainSearch,
  stringifySearch: stringifyPlainSearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading what="the page" />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
