import { isRecord, type Json } from '../objects.ts'

/** Of `denial` of `GET /binnacle/v1/why/AUDIT-ID`. */
interface Denial {
  readonly allowedNow?: string
  readonly closest: readonly { readonly binding: string; readonly role: string; readonly missing: readonly string[] }[]
  readonly toAllow: { readonly commands: readonly string[]; readonly yaml: string }
}

const isDenial = (value: Json | undefined): value is Json & Denial => isRecord(value) && isRecord(value.toAllow) && Array.isArray(value.closest)

/** Invisible characters, and those that turn the direction of writing, as escapes: a command is pasted. */
const visible = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)

/** What would allow a denied request, and which bindings come closest. */
export function DenialPart({ denial }: { readonly denial: Json | undefined }) {
  if (!isDenial(denial)) return null
  const { allowedNow, closest, toAllow } = denial
  return (
    <section aria-label="What would allow it">
      <h2>What would allow it</h2>
      {allowedNow !== undefined && <p>Since then that has changed: {visible(allowedNow)} allows it now.</p>}
      <pre class="text">{visible(toAllow.commands.length > 0 ? toAllow.commands.join('\n') : toAllow.yaml)}</pre>
      {closest.map(({ binding, role, missing }) => (
        <p key={binding} class="muted">
          Close: {visible(binding)} ({visible(role)}). Missing: {missing.join(', ')}.
        </p>
      ))}
    </section>
  )
}
