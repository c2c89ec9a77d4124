import { GLOBAL_SCOPE, type MemoryInput, uuidSchema } from '@factmill/contracts';
import {
  findVersionedMemories,
  isDeletedMemory,
  restoreMemory,
  saveVaultFiles,
  toConversationId,
  type VaultFile,
} from '@factmill/database';
import { candidateOfInput, unlessTaken, writeMemories } from '@factmill/memories';
import { type FileFields, isProblem, parseFile } from './file-fields.ts';
import { signatureAt } from './folder/read-file.ts';
import { keepAside } from './keep-aside.ts';
import { type Place, placeOf } from './layout.ts';
import { pathProblem } from './names.ts';
import { ACTOR, type Session } from './session.ts';
import { agreedOn, type FileText, refusalOf, takeEdit } from './take-edit.ts';
import { toInput, toPatch } from './to-memory.ts';

/**
 * A file that belongs to no memory yet: moved, put back, from another installation, a copy, or new. Resolves to what
 * was agreed on about it when it turns out to be the moved file of a memory, which then goes on as usual.
 */
export async function takeNew(session: Session, path: string, file: FileText): Promise<VaultFile | null> {
  const { agreements, report } = session;
  const refuse = (problem: string): null => {
    report.problem(path, problem);
    return null;
  };
  const misnamed = pathProblem(path);
  if (misnamed !== null) return refuse(misnamed);
  const parsed = parseFile(file.text);
  if (isProblem(parsed)) return refuse(parsed.problem);
  const place = placeOf(path, agreements.users());
  if (typeof place === 'string') return refuse(place);
  const { id } = parsed.fields.text;
  if (id !== undefined) {
    if (!uuidSchema.safeParse(id).success) return refuse('id: must be a UUID; new files have none');
    const known = await takeKnownId(session, { path, file, fields: parsed.fields, place, id });
    if (known !== 'new') return known;
  }
  if (agreements.twinOf(path) !== undefined) {
    return refuse('another file has the same name but for upper and lower case');
  }
  if (agreements.count() >= session.maxFiles)
    return refuse('there are more files than VAULT_MAX_FILES allows');
  const input = toInput(parsed.fields, place);
  if (isProblem(input)) return refuse(input.problem);
  await createMemory(session, { path, file, fields: parsed.fields, place, input });
  return null;
}

type Newcomer = Readonly<{ path: string; file: FileText; fields: FileFields; place: Place }>;

/** A file with an id: of a moved file, of a memory without a file, of a deleted one, or of none here. */
async function takeKnownId(
  session: Session,
  newcomer: Newcomer & Readonly<{ id: string }>,
): Promise<VaultFile | null | 'new'> {
  const { agreements, hold, report } = session;
  const { path, file, fields, place, id } = newcomer;
  const base = agreements.ofMemory(id);
  if (base !== undefined) {
    const isCopy = place.userId !== base.userId || (await signatureAt(session.folder, base.path)) !== null;
    if (isCopy) return 'new';
    const moved = { ...base, path };
    await agreements.save([moved]);
    session.pending.drop(base.path);
    session.seen.delete(base.path);
    report.settled(base.path);
    return moved;
  }
  const target = { tenantId: hold.tenantId, userId: place.userId, id };
  let [row] = await findVersionedMemories(session.database, { tenantId: hold.tenantId, ids: [id] });
  let isKnownVersion = row !== undefined && fields.numbers.version === row.version;
  if (row === undefined && (await isDeletedMemory(session.database, target))) {
    try {
      await unlessTaken(() => session.transaction((tx) => restoreMemory(tx, target, ACTOR)));
    } catch (error) {
      report.problem(path, refusalOf(error));
      return null;
    }
    [row] = await findVersionedMemories(session.database, { tenantId: hold.tenantId, ids: [id] });
    isKnownVersion = true;
  }
  if (row === undefined || row.userId !== place.userId) {
    if (session.isFirstImport()) return 'new';
    report.problem(path, 'its id is not that of a memory here; remove the id to take it for a new one');
    return null;
  }
  const agreed = agreedOn({ path }, file, fields, row);
  if (isKnownVersion || toPatch(fields, row) === null) {
    await takeEdit(session, agreed, file, row);
    return null;
  }
  await keepAside(session, path, `The memory ${id} says something else, and it is not known which is newer.`);
  session.changed.add(id);
  return null;
}

/** Stores a new memory through the one writer, and what is agreed on in the same transaction. */
async function createMemory(
  session: Session,
  { path, file, fields, place, input }: Newcomer & Readonly<{ input: MemoryInput }>,
): Promise<void> {
  const { agreements, hold, report } = session;
  const now = session.now();
  const memory = candidateOfInput(input, now);
  if (memory.expiresAt != null && memory.expiresAt <= now) {
    return report.problem(path, 'expires_at: must be in the future');
  }
  const outcome = await session.transaction(async (tx) => {
    const [written] = await writeMemories(tx, {
      tenantId: hold.tenantId,
      userId: place.userId,
      conversationId: toConversationId(input.scope ?? GLOBAL_SCOPE),
      memories: [memory],
      actor: ACTOR,
      wantsEmbedding: session.wantsEmbedding,
      newId: session.newId,
      now,
    });
    const id = written?.id ?? null;
    if (id === null) return null;
    const [row] = await findVersionedMemories(tx, { tenantId: hold.tenantId, ids: [id] });
    if (row === undefined || agreements.ofMemory(id) !== undefined || written?.reason === 'outdated') {
      return { id, agreed: null };
    }
    const agreed = { ...agreedOn({ path }, file, fields, row), isStale: true };
    await saveVaultFiles(tx, hold, [agreed]);
    return { id, agreed };
  });
  if (outcome === null) return session.pending.add(path);
  session.changed.add(outcome.id);
  report.settled(path);
  if (outcome.agreed === null) {
    const other = agreements.ofMemory(outcome.id)?.path;
    const where = other === undefined ? '' : ` Its file is ${other}.`;
    return keepAside(
      session,
      path,
      `The memory ${outcome.id} says this already, or something newer.${where}`,
    );
  }
  agreements.noteSaved(outcome.agreed);
  session.counts.created += 1;
  await session.embedLater(hold.tenantId, [outcome.id]);
}
