import { isObject, type Tree } from './tree.ts'

/** `ns`: the case's namespace; `rnd`: its suffix for names in the whole cluster; and what its steps save. */
export type Variables = Record<string, string>

/** Replaces `{name}` by the variable, in texts at any depth, names of members included; one that is not set stays. */
export function fill(tree: Tree, vars: Variables): Tree {
  if (typeof tree === 'string')
    return tree.replace(/\{([a-z][A-Za-z0-9]*)\}/g, (whole, name: string) => (Object.hasOwn(vars, name) ? (vars[name] ?? whole) : whole))
  if (Array.isArray(tree)) return tree.map(item => fill(item, vars))
  if (!isObject(tree)) return tree
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [fill(key, vars) as string, fill(value, vars)]))
}
