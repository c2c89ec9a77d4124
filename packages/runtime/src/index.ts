export { auditedBy, createAuditAccess } from './audit-access.ts';
export { createDisposables } from './disposables.ts';
export type { Disposables } from './disposables.ts';
export { announceInstance, findInstance } from './local-instance.ts';
export { externalStorage, openAuthenticator, openDatabase } from './open-storage.ts';
export type { Storage } from './open-storage.ts';
export { runProcess, VERSION } from './run-process.ts';
export type { ProcessContext } from './run-process.ts';
export { createChecks, createReadiness } from './readiness.ts';
