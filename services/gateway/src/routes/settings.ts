import { requirePermission } from '@factmill/auth';
import { assertFits, findRunTimeSetting, listRunTimeSettings, settingInForce } from '@factmill/config';
import { putSettingSchema } from '@factmill/contracts';
import { audited, readSettings, writeSetting } from '@factmill/database';
import { validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { type Response, Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';

/** `/v1/settings`: what operators change while services run (A18, A22). */
export function settingRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('operator'));

  const write = (key: string, value: unknown, response: Response) =>
    audited(
      deps.database.accept,
      (tx) => writeSetting(tx, key, value),
      () => ({ ...auditedBy(response), action: 'setting.changed', target: { kind: 'setting', id: key } }),
    );

  router.get('/', async (_request, response) => {
    const changed = await readSettings(deps.database.list);
    response.json({
      data: listRunTimeSettings(deps.config).map((setting) => settingInForce(setting, changed)),
      next_cursor: null,
    });
  });

  router.put('/:id', async (request, response) => {
    const { value } = validate(putSettingSchema, request.body);
    const setting = findRunTimeSetting(deps.config, request.params.id);
    assertFits(setting, value);
    await write(setting.key, value, response);
    response.json(settingInForce(setting, { [setting.key]: value }));
  });

  router.delete('/:id', async (request, response) => {
    const setting = findRunTimeSetting(deps.config, request.params.id);
    await write(setting.key, null, response);
    response.json(settingInForce(setting, {}));
  });

  return router;
}
