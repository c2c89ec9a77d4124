import { describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '@factmill/contracts';
import { pointsOf, slotsOf, WORK_CLASSES, workOf } from './work.ts';

const classOf = (method: string, path: string, query: Record<string, string> = {}, body?: unknown) =>
  workOf({ method, path, query, body });

describe('classes of work', () => {
  test('every operation has the class of what it does', () => {
    const exceptions: Readonly<Record<string, string>> = {
      'post /v1/conversations/{id}/messages': 'accept',
      'post /v1/conversations/{id}/flush': 'accept',
      'post /v1/extractions': 'accept',
      'post /v1/extractions/replay': 'heavy',
      'get /v1/extractions/counts': 'heavy',
      'get /v1/extractions/series': 'heavy',
      'get /v1/stats/tenant': 'heavy',
      'post /v1/memories/search': 'search',
      'post /v1/context': 'search',
      'post /v1/memories/batch': 'batch',
      'post /v1/memories/clear': 'batch',
      'post /v1/memories/import': 'batch',
      'get /v1/export': 'batch',
      'post /v1/import': 'batch',
      'get /v1/users/{id}/export': 'batch',
      'post /v1/users/{id}/import': 'batch',
      'get /v1/audit/verify': 'heavy',
      'post /v1/retention/runs': 'heavy',
      'post /v1/replays': 'heavy',
      'get /v1/replays/{id}/diff': 'heavy',
      'post /v1/replays/{id}/apply': 'heavy',
      'post /v1/replays/{id}/undo': 'heavy',
      'post /v1/replays/{id}/discard': 'heavy',
      'delete /v1/replays/{id}': 'heavy',
      'post /v1/documents': 'document',
      'get /v1/vectors': 'heavy',
      'post /v1/vectors/backfill': 'heavy',
      'post /v1/vectors/rebuild': 'heavy',
      'delete /v1/vectors': 'heavy',
      'get /v1/events': 'events',
      'post /v1/webhooks/{id}/replay': 'heavy',
    };
    for (const { method, path } of OPERATIONS) {
      const usual = path.startsWith('/v1/tools/') && method === 'post' ? 'tool' : null;
      expect({
        method,
        path,
        work: classOf(method.toUpperCase(), path.replace(/\{\w+\}/g, 'some-id')),
      }).toEqual({
        method,
        path,
        work: exceptions[`${method} ${path}`] ?? usual ?? (method === 'get' ? 'read' : 'write'),
      });
    }
    expect(classOf('POST', '/v1/chat/completions')).toBe('chat');
    expect(classOf('POST', '/mcp')).toBe('tool');
  });

  test('an address that the router takes for the same has the same class', () => {
    expect(classOf('POST', '/v1/Memories/BATCH/')).toBe('batch');
    expect(classOf('POST', '/v1/memories/search/')).toBe('search');
  });

  test('what reads much is heavy', () => {
    expect(classOf('GET', '/v1/memories', { all_users: 'true' })).toBe('heavy');
    expect(classOf('GET', '/v1/memories', { offset: '10000' })).toBe('heavy');
    expect(classOf('GET', '/v1/memories', { q: 'tea' })).toBe('heavy');
    expect(classOf('GET', '/v1/memories', { sort_by: 'value' })).toBe('heavy');
    expect(classOf('GET', '/v1/memories', { state: 'deleted' })).toBe('heavy');
    expect(classOf('GET', '/v1/extractions', { state: 'failed' })).toBe('read');
    expect(classOf('GET', '/v1/memories', { sort_by: 'created_at', offset: '50' })).toBe('read');
    expect(classOf('POST', '/v1/memories/search', {}, { query: 'x', all_users: true })).toBe('heavy_search');
    expect(classOf('POST', '/v1/context', {}, { as_of: '2026-01-01T00:00:00Z' })).toBe('heavy_search');
    expect(classOf('POST', '/v1/memories/search', {}, { query: 'x' })).toBe('search');
    expect(classOf('POST', '/v1/memories/search', {}, 'no object')).toBe('search');
  });

  test('what may stay open holds no slot meanwhile; everything costs something', () => {
    expect([slotsOf('chat'), slotsOf('events')]).toEqual([0, 0]);
    expect(slotsOf('tool')).toBe(0);
    for (const work of WORK_CLASSES) expect(pointsOf(work)).toBeGreaterThan(0);
  });
});
