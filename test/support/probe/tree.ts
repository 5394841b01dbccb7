/** A JSON value as `JSON.parse` gives it. */
export type Tree = null | boolean | number | string | Tree[] | TreeObject
export type TreeObject = { [key: string]: Tree }

export const isObject = (value: unknown): value is TreeObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keys of `a.b[0].c`. */
export const keysOf = (path: string): string[] =>
  path
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter(Boolean)

/** Returns the value at a path, or undefined. */
export function at(tree: Tree | undefined, path: string): Tree | undefined {
  return keysOf(path).reduce<Tree | undefined>((value, key) => child(value, key), tree)
}

/** Beside members: `length` of a list, and `constructor.name` of any value, the name of its type. */
export function child(tree: Tree | undefined, key: string): Tree | undefined {
  if (key === 'constructor' && !(isObject(tree) && Object.hasOwn(tree, key)))
    return tree === undefined || tree === null ? undefined : { name: tree.constructor.name }
  if (Array.isArray(tree)) return key === 'length' ? tree.length : tree[Number(key)]
  return isObject(tree) && Object.hasOwn(tree, key) ? tree[key] : undefined
}

/**
 * `key`: the member's name or index; `parent`: the object or list that holds it. For the name of a member itself, `key`
 * is NAME.
 */
export type LeafRewrite = (value: Tree, key: string | number | typeof NAME | undefined, parent: Tree | undefined) => Tree

export const NAME = Symbol('the name of a member')

/** A copy in which each leaf, and each member's name, is what `rewrite` makes of it. */
export function mapLeaves(tree: Tree, rewrite: LeafRewrite, key?: string | number, parent?: Tree): Tree {
  if (Array.isArray(tree)) return tree.map((item, i) => mapLeaves(item, rewrite, i, tree))
  if (!isObject(tree)) return rewrite(tree, key, parent)
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [String(rewrite(name, NAME, tree)), mapLeaves(value, rewrite, name, tree)]),
  )
}

/** A copy in which each list that is a member of this name, at any depth, is what `rewrite` makes of it. */
export function mapLists(tree: Tree, name: string, rewrite: (list: Tree[]) => Tree[]): Tree {
  if (Array.isArray(tree)) return tree.map(item => mapLists(item, name, rewrite))
  if (!isObject(tree)) return tree
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      key === name && Array.isArray(value) ? rewrite(value) : mapLists(value, name, rewrite),
    ]),
  )
}

/** Sorted by the text that `text` makes of each. */
export function sortedBy<T>(list: readonly T[], text: (item: T) => string): T[] {
  return [...list].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}
