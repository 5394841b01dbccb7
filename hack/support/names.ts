import { type Class, type Expression, type Node, type ParseResult, parseSync, type Statement, Visitor } from 'oxc-parser'
import type { SourceFile } from './source-files.ts'

/** Number of files from which a name cannot be found by searching for it. */
const MANY_FILES = 4
/** Type names that do not say which thing of the field they are. */
const VAGUE_TYPES: ReadonlySet<string> = new Set(['About', 'Answer', 'Asked', 'Found', 'Kept', 'Known', 'Place'])
const UPPER_CASE = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/

/** A name that a module declares at its top level. */
interface ModuleName {
  readonly name: string
  readonly kind: 'constant' | 'function' | 'type'
  readonly start: number
  /**
   * Whether it is a constant whose value is written in the file: a number, a text, a regular expression, a list, a set
   * or a path.
   */
  readonly isLiteral: boolean
}

/**
 * Reports names of source files that cannot be searched for, and privacy and constants in another style than ours: a
 * function or type whose name four files declare, a vague type name, `private` where `#` serves, `protected` without a
 * subclass, a constant that is not in upper case.
 */
export function nameProblems(files: readonly SourceFile[]): string[] {
  const parsed = files.filter(({ path }) => !path.endsWith('.types.ts')).map(file => ({ file, program: parse(file) }))
  const declared = parsed.map(({ file, program }) => ({ file, names: program.body.flatMap(namesOfStatement) }))
  const extended = new Set(parsed.flatMap(({ program }) => superclasses(program)))
  return [
    ...repeatedNames(declared),
    ...declared.flatMap(({ file, names }) =>
      names.flatMap(name => styleProblems(name).map(problem => `${place(file, name.start)}: ${problem}`)),
    ),
    ...parsed.flatMap(({ file, program }) => privacyProblems(file, program, extended)),
  ]
}

function parse({ path, text }: SourceFile): ParseResult['program'] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  return program
}

/** Formats the position as `src/lib/clock.ts:12`. */
const place = ({ path, text }: SourceFile, start: number): string => `${path}:${text.slice(0, start).split('\n').length}`

function repeatedNames(declared: readonly { readonly file: SourceFile; readonly names: readonly ModuleName[] }[]): string[] {
  const filesOf = new Map<string, Set<string>>()
  for (const { file, names } of declared) {
    for (const { name, kind } of names) if (kind !== 'constant') filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file.path))
  }
  return [...filesOf]
    .filter(([, paths]) => paths.size >= MANY_FILES)
    .map(
      ([name, paths]) =>
        `${name} is declared in ${paths.size} files: share one, or name each for what it is of\n  ${[...paths].join('\n  ')}`,
    )
}

function styleProblems({ name, kind, isLiteral }: ModuleName): string[] {
  if (kind === 'type' && VAGUE_TYPES.has(name)) return [`the type ${name} is no noun of the field`]
  return isLiteral && !UPPER_CASE.test(name) ? [`the constant ${name} is not in upper case`] : []
}

function namesOfStatement(statement: Statement): ModuleName[] {
  const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  switch (node?.type) {
    case 'FunctionDeclaration':
      return node.id ? [{ name: node.id.name, kind: 'function', start: node.start, isLiteral: false }] : []
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return node.id ? [{ name: node.id.name, kind: 'type', start: node.start, isLiteral: false }] : []
    case 'VariableDeclaration':
      if (node.kind !== 'const') return []
      return node.declarations.flatMap(({ id, init, start }): ModuleName[] => {
        if (id.type !== 'Identifier' || !init) return []
        const value = withoutTypes(init)
        const isFunction = value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression'
        return [{ name: id.name, kind: isFunction ? 'function' : 'constant', start, isLiteral: isLiteral(value) }]
      })
    default:
      return []
  }
}

const withoutTypes = (node: Expression): Expression =>
  node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'ParenthesizedExpression'
    ? withoutTypes(node.expression)
    : node

/** Makers of values that are constants as literals are. */
const MAKERS: ReadonlySet<string> = new Set(['FieldPath', 'Map', 'RegExp', 'Set', 'fieldPath'])

function isLiteral(node: Expression): boolean {
  const value = withoutTypes(node)
  switch (value.type) {
    case 'Literal':
      return value.value !== null || 'regex' in value
    case 'TemplateLiteral':
      return true
    case 'UnaryExpression':
      return isLiteral(value.argument)
    case 'BinaryExpression':
      return isOperand(value.left) && isOperand(value.right)
    case 'ArrayExpression':
      return value.elements.length > 0
    case 'CallExpression':
    case 'NewExpression':
      return value.callee.type === 'Identifier' && MAKERS.has(value.callee.name) && value.arguments.length > 0
    default:
      return false
  }
}

const isOperand = (node: Node): boolean =>
  node.type === 'Identifier' || node.type === 'MemberExpression' || node.type === 'CallExpression' || isLiteral(node as Expression)

function superclasses(program: ParseResult['program']): string[] {
  const names: string[] = []
  const note = ({ superClass }: Class): void => {
    if (superClass?.type === 'Identifier') names.push(superClass.name)
  }
  new Visitor({ ClassDeclaration: note, ClassExpression: note }).visit(program)
  return names
}

function privacyProblems(file: SourceFile, program: ParseResult['program'], extended: ReadonlySet<string>): string[] {
  const problems: string[] = []
  const check = ({ id, body, superClass }: Class): void => {
    for (const member of body.body) {
      if (!('accessibility' in member) || !('key' in member)) continue
      const { accessibility, start } = member
      const isConstructor = member.type === 'MethodDefinition' && member.kind === 'constructor'
      const name = file.text.slice(member.key.start, member.key.end)
      if (accessibility === 'private' && !isConstructor) problems.push(`${place(file, start)}: private ${name} should be #${name}`)
      if (accessibility === 'protected' && !superClass && !extended.has(id?.name ?? ''))
        problems.push(`${place(file, start)}: ${name} is protected in a class without subclasses`)
    }
  }
  new Visitor({ ClassDeclaration: check, ClassExpression: check }).visit(program)
  return problems
}
