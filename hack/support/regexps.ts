import { dirname, join } from 'node:path'
import { type Node, parseSync } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

/** A regular expression of a source file. */
export interface FoundRegExp {
  readonly path: string
  readonly line: number
  /** The literal, such as `/a+/g`, or the code that makes the expression at run time. */
  readonly shown: string
  /** Undefined if it is not a constant. */
  readonly expression: { readonly source: string; readonly flags: string } | undefined
}

type Tree = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number }

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** Calls `visit` for a node and all below it, with the function around it. */
function walk(node: Tree, visit: (node: Tree, around: Tree | undefined) => void, around?: Tree): void {
  visit(node, around)
  const inner = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionDeclaration' ? node : around
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isTree(child)) walk(child, visit, inner)
  }
}

const child = (node: Tree, name: string): Tree | undefined => {
  const value = node[name]
  return isTree(value) ? value : undefined
}
const children = (node: Tree, name: string): Tree[] => {
  const value = node[name]
  return Array.isArray(value) ? value.filter(isTree) : []
}
const nameOf = (node: Tree | undefined): string | undefined => (node?.type === 'Identifier' ? String(node.name) : undefined)

/** Values of the parameters of a function. */
type Bindings = ReadonlyMap<string, string>
const NONE: Bindings = new Map()

/** The constants and functions of a file. */
class Module {
  readonly regexps: FoundRegExp[] = []
  readonly #constants = new Map<string, Tree>()
  readonly #imports = new Map<string, { readonly path: string; readonly name: string }>()
  readonly #calls: { readonly name: string; readonly given: readonly Tree[]; readonly around: Tree | undefined }[] = []
  readonly #names = new Map<Tree, string>()
  readonly #file: SourceFile
  readonly #moduleOf: (path: string) => Module | undefined

  constructor(file: SourceFile, moduleOf: (path: string) => Module | undefined) {
    this.#file = file
    this.#moduleOf = moduleOf
    const { program, errors } = parseSync(file.path, file.text)
    if (errors.length > 0) throw new Error(`${file.path}: ${errors[0]?.message}`)
    const made: [node: Tree, around: Tree | undefined][] = []
    walk(program as Node & Tree, (node, around) => {
      this.#declare(node)
      if (node.type === 'CallExpression') {
        const name = nameOf(child(node, 'callee'))
        if (name !== undefined) this.#calls.push({ name, given: children(node, 'arguments'), around })
      }
      const regex = literalOf(node)
      if (regex) this.#add(node, this.#textOf(node), regex)
      else if (isRegExpCall(node)) made.push([node, around])
    })
    for (const [node, around] of made) this.#addMade(node, around)
  }

  /** The text that an expression always has. */
  constantOf(name: string): string | undefined {
    const node = this.#constants.get(name)
    if (node) return this.#textIn(node, NONE)
    const imported = this.#imports.get(name)
    return imported && this.#moduleOf(imported.path)?.constantOf(imported.name)
  }

  #declare(node: Tree): void {
    if (node.type === 'VariableDeclaration' && node.kind === 'const') {
      for (const declarator of children(node, 'declarations')) {
        const [name, value] = [nameOf(child(declarator, 'id')), child(declarator, 'init')]
        if (name === undefined || !value) continue
        this.#constants.set(name, value)
        this.#names.set(value, name)
      }
    } else if (node.type === 'FunctionDeclaration') {
      const name = nameOf(child(node, 'id'))
      if (name !== undefined) this.#names.set(node, name)
    } else if (node.type === 'ImportDeclaration') {
      const path = join(dirname(this.#file.path), String(child(node, 'source')?.value))
      for (const specifier of children(node, 'specifiers')) {
        const [local, name] = [nameOf(child(specifier, 'local')), nameOf(child(specifier, 'imported'))]
        if (local !== undefined && name !== undefined) this.#imports.set(local, { path, name })
      }
    }
  }

  #textOf({ start, end }: Tree): string {
    return this.#file.text.slice(start, end)
  }

  #add(node: Tree, shown: string, expression: FoundRegExp['expression']): void {
    const line = this.#file.text.slice(0, node.start).split('\n').length
    this.regexps.push({ path: this.#file.path, line, shown, expression })
  }

  /** Adds an expression that is made at run time: once for each call of the function around it. */
  #addMade(node: Tree, around: Tree | undefined): void {
    const [source, flags] = children(node, 'arguments')
    const all = this.#bindingsOf(around, 4)
    for (const bindings of all.length > 0 ? all : [NONE]) {
      const [text, letters] = [source && this.#textIn(source, bindings), flags ? this.#textIn(flags, bindings) : '']
      if (text === undefined || letters === undefined) this.#add(node, this.#textOf(node), undefined)
      else this.#add(node, `/${text}/${letters}`, { source: text, flags: letters })
    }
  }

  /** The parameters of a function at each of its calls in the file. */
  #bindingsOf(around: Tree | undefined, depth: number): Bindings[] {
    const name = around && this.#names.get(around)
    if (!around || name === undefined || depth === 0) return []
    const parameters = children(around, 'params').map(nameOf)
    return this.#calls
      .filter(call => call.name === name)
      .flatMap(({ given, around: caller }) => {
        const outer = this.#bindingsOf(caller, depth - 1)
        return (outer.length > 0 ? outer : [NONE]).map(bindings => {
          const values = parameters.flatMap((parameter, i): [string, string][] => {
            const argument = given[i]
            const text = argument && this.#textIn(argument, bindings)
            return parameter === undefined || text === undefined ? [] : [[parameter, text]]
          })
          return new Map(values)
        })
      })
  }

  #textIn(node: Tree, bindings: Bindings): string | undefined {
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? node.value : undefined
      case 'Identifier':
        return bindings.get(String(node.name)) ?? this.constantOf(String(node.name))
      case 'TemplateLiteral':
        return this.#templateIn(node, bindings)
      case 'CallExpression':
        return this.#replacedIn(node, bindings)
      default:
        return undefined
    }
  }

  #templateIn(node: Tree, bindings: Bindings): string | undefined {
    const parts = children(node, 'expressions').map(part => this.#textIn(part, bindings))
    const texts = children(node, 'quasis').map(quasi => String((quasi.value as { readonly cooked: string }).cooked))
    return parts.includes(undefined) ? undefined : texts.map((text, i) => `${text}${parts[i] ?? ''}`).join('')
  }

  /** `TEXT.replaceAll('a', 'b')` */
  #replacedIn(node: Tree, bindings: Bindings): string | undefined {
    const callee = child(node, 'callee')
    const text = callee && nameOf(child(callee, 'property')) === 'replaceAll' ? child(callee, 'object') : undefined
    const [value, from, to] = [text, ...children(node, 'arguments')].map(part => part && this.#textIn(part, bindings))
    return value === undefined || from === undefined || to === undefined ? undefined : value.replaceAll(from, to)
  }
}

function literalOf(node: Tree): FoundRegExp['expression'] {
  const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } }
  return node.type === 'Literal' && regex ? { source: regex.pattern, flags: regex.flags } : undefined
}

const isRegExpCall = (node: Tree): boolean =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') && nameOf(child(node, 'callee')) === 'RegExp'

/**
 * The regular expressions of TypeScript files: literals, and those that are made of constants by `new RegExp`, also
 * within a function that is called with constants.
 */
export function regexpsOf(files: readonly SourceFile[]): FoundRegExp[] {
  const texts = new Map(files.map(file => [file.path, file]))
  const modules = new Map<string, Module>()
  const moduleOf = (path: string): Module | undefined => {
    const file = texts.get(path)
    const module = modules.get(path) ?? (file && new Module(file, moduleOf))
    if (module) modules.set(path, module)
    return module
  }
  return files.flatMap(({ path }) => moduleOf(path)?.regexps ?? [])
}
