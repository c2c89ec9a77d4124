export { createGateway } from './create-gateway.ts';
