import { useAccess } from '../session/session.ts';
import { PageHead } from '../ui/small.tsx';
import { type Tab, Tabs } from '../ui/tabs.tsx';
import { useUrlSearch } from '../url-search.ts';
import { Audit } from './audit.tsx';
import { Data } from './data.tsx';
import { Keys } from './keys.tsx';
import { Tenants } from './tenants.tsx';
import { Webhooks } from './webhooks.tsx';

/** What administrators and operators do, each part for who may. */
export function AdministrationPage() {
  const { can } = useAccess();
  const [{ part }, change] = useUrlSearch();
  const tabs: Tab[] = [
    ...(can('admin')
      ? [
          { id: 'keys', label: 'API keys', content: () => <Keys /> },
          { id: 'webhooks', label: 'Webhooks', content: () => <Webhooks /> },
          { id: 'data', label: 'Data', content: () => <Data /> },
        ]
      : []),
    ...(can('audit.read') ? [{ id: 'audit', label: 'Audit', content: () => <Audit /> }] : []),
    ...(can('operator') ? [{ id: 'tenants', label: 'Tenants', content: () => <Tenants /> }] : []),
  ];
  const open = tabs.find(({ id }) => id === part)?.id ?? tabs[0]?.id ?? '';
  return (
    <>
      <PageHead title="Administration" name="Administration" />
      <Tabs
        label="Administration"
        tabs={tabs}
        value={open}
        onChange={(id) => change({ part: id, webhook: '' })}
      />
    </>
  );
}
