export { createGateway } from './create-gateway.ts';
export type { Gateway, GatewayDeps } from './create-gateway.ts';
