import type { Secret } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isWide, memberNames, namesOf, noteMembers } from '../../../lib/wide-objects.ts'
import { setMember } from '../../../meta/equal.ts'

/** Copies stringData, which is write-only, into data. It takes precedence over values that are already there. */
export function setSecretDefaults(secret: Secret): Steps<void> | undefined {
  if (!secret.type) secret.type = 'Opaque'
  const texts = secret.stringData
  if (texts === undefined) return undefined
  delete secret.stringData
  return isWide(texts) || namesOf(texts).length > 0 ? encodeTexts(secret, texts) : undefined
}

function* encodeTexts(secret: Secret, texts: Readonly<Record<string, string>>): Steps<void> {
  const keys = yield* memberNames(texts)
  yield
  secret.data ??= {}
  noteMembers(secret.data, keys.length)
  for (const key of keys) {
    if (isStepDone()) yield
    setMember(secret.data, key, Buffer.from(texts[key] ?? '').toString('base64'))
  }
}
