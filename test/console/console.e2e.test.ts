import { afterAll, beforeAll } from '@jest/globals';
import { testAccess } from './access.ts';
import { testAccessibility } from './accessibility.ts';
import { testAdministration } from './administration.ts';
import {
  ADMIN_KEY,
  type Console,
  type ConsoleStand,
  openConsole,
  openConsoleStand,
} from './console-stand.ts';
import { testFirstMemory } from './first-memory.ts';
import { testHostileTexts } from './hostile-texts.ts';
import { testKeyboard } from './keyboard.ts';
import { testLedger } from './ledger.ts';
import { testLongList } from './long-list.ts';
import { testMemories } from './memories.ts';
import { testPlayground } from './playground.ts';
import { testReplays } from './replays.ts';
import { testSettings } from './settings.ts';
import { storeConversation, storeHostileMemories, storeManyMemories } from './stored-things.ts';

// One file, because a browser and the services are started once for all of it. The first part needs an installation
// without memories; the others look at what is stored after it.

let stand: ConsoleStand;
let admin: Console;

beforeAll(async () => {
  stand = await openConsoleStand();
  admin = await openConsole(stand, ADMIN_KEY);
});
afterAll(async () => {
  await stand.close();
});

const get = () => ({ stand, admin });

testFirstMemory(get, async () => {
  await storeManyMemories(stand);
  await storeConversation(stand.admin);
  await storeHostileMemories(stand.admin);
});
testMemories(get);
testPlayground(get);
testLedger(get);
testReplays(get);
testAdministration(get);
testAccess(get);
testHostileTexts(get);
testLongList(get);
testKeyboard(get);
testSettings(get);
testAccessibility(get);
