import { setMember } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'

/** stringData is for writing only: its texts become values of data, and win over what is there. */
export function setSecretDefaults(secret: KubeObject): void {
  if (!secret.type) secret.type = 'Opaque'
  const texts: Record<string, string> | undefined = secret.stringData
  if (texts === undefined) return
  delete secret.stringData
  if (Object.keys(texts).length === 0) return
  secret.data ??= {}
  for (const [key, text] of Object.entries(texts)) setMember(secret.data, key, Buffer.from(text).toString('base64'))
}
