import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export type Tab = Readonly<{ id: string; label: string; content: () => ReactNode }>;

/** Tabs with arrow keys; only the open one is in the page. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: Readonly<{ tabs: readonly Tab[]; value: string; onChange: (id: string) => void; label: string }>) {
  return (
    <BaseTabs.Root value={value} onValueChange={(id) => onChange(String(id))}>
      <BaseTabs.List className="tabs" aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.id} value={tab.id} className="tab">
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.id} value={tab.id} className="tab-panel">
          {tab.content()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
