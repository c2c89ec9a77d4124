import type { Client } from '@factmill/client';
import type { PresetName, Tenant } from '@factmill/contracts';

type Input = Parameters<Client['tenants']['create']>[0];

/** What is in the form of a tenant, as text. */
export type TenantDraft = Readonly<{
  name: string;
  preset: string;
  tokensDay: string;
  tokensMonth: string;
  costDay: string;
  costMonth: string;
  keyRate: string;
  tenantRate: string;
}>;

const BUDGETS = [
  ['tokensDay', 'tokens', 'day'],
  ['tokensMonth', 'tokens', 'month'],
  ['costDay', 'cost', 'day'],
  ['costMonth', 'cost', 'month'],
] as const;

export function toTenantDraft(tenant: Tenant | undefined): TenantDraft {
  const amountOf = (unit: string, period: string) =>
    tenant?.budgets.find((budget) => budget.unit === unit && budget.period === period)?.amount.toString() ??
    '';
  return {
    name: tenant?.name ?? '',
    preset: tenant?.default_preset ?? '',
    tokensDay: amountOf('tokens', 'day'),
    tokensMonth: amountOf('tokens', 'month'),
    costDay: amountOf('cost', 'day'),
    costMonth: amountOf('cost', 'month'),
    keyRate: tenant?.limits.key_per_second?.toString() ?? '',
    tenantRate: tenant?.limits.tenant_per_second?.toString() ?? '',
  };
}

export function toTenantInput(draft: TenantDraft): Input {
  return {
    name: draft.name,
    default_preset: draft.preset === '' ? null : (draft.preset as PresetName),
    limits: {
      key_per_second: draft.keyRate === '' ? null : Number(draft.keyRate),
      tenant_per_second: draft.tenantRate === '' ? null : Number(draft.tenantRate),
    },
    budgets: BUDGETS.filter(([name]) => draft[name] !== '').map(([name, unit, period]) => ({
      unit,
      period,
      amount: Number(draft[name]),
    })),
  };
}
