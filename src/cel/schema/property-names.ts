import { ownMember } from '../../meta/equal.ts'
/** Reserved words of the language. */
export const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }

/**
 * Returns the name of a property in expressions. Undefined if the property is not accessible. Source: Kubernetes,
 * "Validation rules", escaping.
 */
export function escapeProperty(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  return RESERVED.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, part => ESCAPES[part] ?? part)
}

const UNESCAPES: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** Returns the property that an escaped name refers to. Undefined if the name is invalid. */
export function unescapeProperty(name: string): string | undefined {
  if (!name.includes('__')) return name
  let valid = true
  const property = name.replace(/__[^_]+__/g, part => {
    const content = part.slice(2, -2)
    const escaped = ownMember(UNESCAPES, content)
    if (escaped !== undefined) return escaped
    valid &&= RESERVED.has(content) && part.length === name.length
    return content
  })
  return valid ? property : undefined
}
