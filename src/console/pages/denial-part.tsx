import { isRecord, type Json } from '../objects.ts'

/** Member `denial` of the response of `GET /binnacle/v1/why/AUDIT-ID`. */
interface DenialRecord {
  readonly allowedNow?: string
  readonly closest: readonly { readonly binding: string; readonly role: string; readonly missing: readonly string[] }[]
  readonly toAllow: { readonly commands: readonly string[]; readonly yaml: string }
}

const isDenial = (value: Json | undefined): value is Json & DenialRecord =>
  isRecord(value) && isRecord(value.toAllow) && Array.isArray(value.closest)

/** Escapes invisible and bidirectional control characters, because users paste the commands into a shell. */
const visible = (text: string): string =>
  text.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)

/** Shows commands that would allow a denied request, and the closest bindings. */
export function DenialPart({ denial }: { readonly denial: Json | undefined }) {
  if (!isDenial(denial)) return null
  const { allowedNow, closest, toAllow } = denial
  return (
    <section aria-label="Ways to allow it">
      <h2>Ways to allow it</h2>
      {allowedNow !== undefined && <p>Allowed now by {visible(allowedNow)}.</p>}
      <pre class="text">{visible(toAllow.commands.length > 0 ? toAllow.commands.join('\n') : toAllow.yaml)}</pre>
      {closest.map(({ binding, role, missing }) => (
        <p key={binding} class="muted">
          Closest: {visible(binding)} ({visible(role)}). Missing: {missing.join(', ')}.
        </p>
      ))}
    </section>
  )
}
