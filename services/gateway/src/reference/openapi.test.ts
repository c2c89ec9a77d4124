import { describe, expect, test } from '@jest/globals';
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';
import { loadConfig } from '@factmill/config';
import { OPERATIONS, PERMISSIONS } from '@factmill/contracts';
import type { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';
import { v1Routes } from '../routes/v1-routes.ts';
import { openApiDocument } from './openapi.ts';

type Json = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3', true))) as Json & {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json> };
};

function* everyObject(value: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, child] of Object.entries(value)) yield* everyObject(child, `${path}/${key}`);
}

function resolve(ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, part) => (node as Json | undefined)?.[part.replace(/~1/g, '/')], document);
}

const PROBES = ['/health', '/healthz', '/readyz'];
/** Who is not signed in can ask, and signs out at no harm. */
const WITHOUT_KEY = ['get /console/session', 'delete /console/session'];

describe('the OpenAPI document', () => {
  test('has tags that are all described and used, in the order of the page', () => {
    const { tags } = document as unknown as { tags: { name: string }[] };
    const used = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((one) => one['tags'] as string[]),
    );
    expect(new Set(used)).toEqual(new Set(tags.map(({ name }) => name)));
  });

  test('says which problems to expect, except of probes, which anybody may ask', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, one] of Object.entries(methods)) {
        const statuses = Object.keys(one['responses'] as Json);
        const isProbe = PROBES.includes(path);
        expect([path, statuses.includes('401')]).toEqual([path, !isProbe]);
        const isOpen = isProbe || WITHOUT_KEY.includes(`${method} ${path}`);
        expect([path, one['security']]).toEqual([path, isOpen ? [] : undefined]);
      }
    }
  });

  test('is version 3.1 with its required parts', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Factmill', version: '1.2.3' },
      security: [{ bearer: [] }, { apiKey: [] }],
    });
  });

  test('has every operation of the contract, with an id of its own', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const others = [
      'post /v1/chat/completions',
      'post /mcp',
      'post /console/session',
      ...WITHOUT_KEY,
      ...PROBES.map((path) => `get ${path}`),
    ];
    expect(described.sort()).toEqual(
      [...OPERATIONS.map(({ method, path }) => `${method} ${path}`), ...others].sort(),
    );
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one['operationId']),
    );
    expect(new Set(ids).size).toBe(described.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  test('every reference leads somewhere', () => {
    const refs = [...everyObject(document)].flatMap(([, object]) =>
      typeof object['$ref'] === 'string' ? [object['$ref']] : [],
    );
    expect(refs.length).toBeGreaterThan(OPERATIONS.length);
    for (const ref of refs) expect([ref, typeof resolve(ref)]).toEqual([ref, 'object']);
  });

  test('describes what each operation takes and gives, and that it can fail', () => {
    for (const { method, path, permission, status, ...given } of OPERATIONS) {
      const [body, response] = [given.bodyType ?? given.body, given.responseTypes ?? given.response];
      const operation = document.paths[path]?.[method] as Json & {
        responses: Record<string, Json>;
        parameters?: Json[];
      };
      expect(operation['description']).toContain(permission);
      expect(PERMISSIONS).toContain(permission);
      expect('requestBody' in operation).toBe(body !== undefined);
      expect('content' in (operation.responses[status] ?? {})).toBe(response !== null);
      expect(operation.responses['default']).toBeDefined();
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter['in'] === 'path');
      expect(inPath.map((parameter) => parameter['name'])).toEqual(placeholders);
      for (const parameter of operation.parameters ?? []) {
        expect(parameter).toMatchObject({
          name: expect.any(String) as unknown as string,
          schema: expect.any(Object) as unknown as object,
        });
      }
    }
  });

  test('says of `{id}` what it has to be', () => {
    const idOf = (path: string) =>
      (document.paths[path]?.['get']?.['parameters'] as { name: string; schema: Json }[] | undefined)?.[0];
    expect(idOf('/v1/memories/{id}')).toMatchObject({ name: 'id', schema: { format: 'uuid' } });
    expect(idOf('/v1/users/{id}')).toMatchObject({ name: 'id', schema: { minLength: 1, maxLength: 256 } });
    expect(idOf('/v1/conversations/{id}')).toMatchObject({ schema: { minLength: 1, maxLength: 128 } });
  });

  test('asks for no key where the server does not', () => {
    expect(openApiDocument('1.2.3', false)).toMatchObject({ security: [] });
  });

  test('carries no dialect marks of the generator', () => {
    for (const [path, object] of everyObject(document))
      expect([path, '$schema' in object]).toEqual([path, false]);
  });
});

const TIME = '2026-11-21T10:00:00';
const TIMES = [`${TIME}Z`, `${TIME}+05:30`, `${TIME}-15:59`, `${TIME}+16:00`, `${TIME}-23:00`, TIME];
const TEXTS = [...TIMES, '', ' ', '\t', 'a', ' a ', 'a\u0007b', 'Zoë', '日本', 'a'.repeat(10_000)];

/** The fields of a request that take text of any kind, with their schemas. */
function textFields({ query, body }: (typeof OPERATIONS)[number]): [string, z.ZodType][] {
  return [query, body].flatMap((schema) => {
    const shape =
      schema !== undefined && 'shape' in schema ? (schema.shape as Record<string, z.ZodType>) : {};
    return Object.entries(shape).filter(
      ([, field]) =>
        ['a', `${TIME}Z`].some((text) => field.safeParse(text).success) && !field.safeParse({}).success,
    );
  });
}

test.each(OPERATIONS)('the reference refuses the texts that $method $path refuses', (operation) => {
  const described = (document.paths[operation.path]?.[operation.method] ?? {}) as {
    parameters?: { name: string; schema: Json }[];
    requestBody?: { content: Record<string, { schema: Json }> };
  };
  const body = described.requestBody?.content['application/json']?.schema ?? {};
  const { properties } = (typeof body['$ref'] === 'string' ? resolve(body['$ref']) : body) as {
    properties?: Record<string, Json>;
  };
  for (const [name, field] of textFields(operation)) {
    const parameter = described.parameters?.find((one) => one.name === name);
    const validate = new Ajv({ validateFormats: false }).compile(
      parameter?.schema ?? properties?.[name] ?? {},
    );
    const accepted = (isAccepted: (text: string) => boolean) => TEXTS.filter(isAccepted);
    expect([name, accepted((text) => validate(text))]).toEqual([
      name,
      accepted((text) => field.safeParse(text).success),
    ]);
  }
});

/** What express keeps of a route. */
type Layer = { route?: { path: string; methods: Record<string, boolean> } };

test('the routes of the application are the operations of the contract, no more and no less', () => {
  const routers = v1Routes({ config: loadConfig({}) } as RouteDeps);
  const routes = routers.flatMap(({ path: mount, router }) =>
    (router.stack as unknown as Layer[]).flatMap(({ route }) =>
      route === undefined
        ? []
        : Object.keys(route.methods).map(
            (method) => `${method} ${`${mount}${route.path}`.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')}`,
          ),
    ),
  );
  // Those that read a body which is not JSON come before what reads the others: every-route.int.test.ts has them.
  const inRouters = OPERATIONS.filter(({ bodyType }) => bodyType === undefined);
  expect(routes.sort()).toEqual(inRouters.map(({ method, path }) => `${method} ${path}`).sort());
});
