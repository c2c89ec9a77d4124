export { openVault } from './open-vault.ts';
export { syncVault } from './sync-vault.ts';
