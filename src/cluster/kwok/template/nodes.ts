/** A value that a command consists of. `text` is its source, for error messages. */
export type Operand =
  | { readonly kind: 'dot'; readonly text: string }
  | { readonly kind: 'nil'; readonly text: string }
  | { readonly kind: 'literal'; readonly value: string | boolean | bigint | GoFloat; readonly text: string }
  | { readonly kind: 'field'; readonly fields: readonly string[]; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fields: readonly string[]; readonly text: string }
  | { readonly kind: 'function'; readonly name: string; readonly text: string }
  | { readonly kind: 'pipe'; readonly pipe: Pipe; readonly fields: readonly string[]; readonly text: string }

/** A function with its arguments, or a value alone. */
export interface Command {
  /** The first one is the function, if it is one. */
  readonly operands: readonly [Operand, ...Operand[]]
  /** Line of the source, from 1, for error messages. */
  readonly line: number
}

/** Commands, each of which gets the result of the previous one as its last argument. */
export interface Pipe {
  /** Variables that are declared or assigned. */
  readonly variables: readonly string[]
  /** Whether variables are assigned (`=`) and not declared (`:=`). */
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
  readonly line: number
}

/** Part of a template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipe: Pipe }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly pipe: Pipe
      readonly body: readonly TemplateNode[]
      readonly otherwise: readonly TemplateNode[]
    }
  | { readonly kind: 'template'; readonly name: string; readonly pipe: Pipe | undefined; readonly line: number }
  | { readonly kind: 'break' | 'continue' }

/** A parsed template with those that it defines. */
export interface TemplateTree {
  /** Nodes of the template itself. */
  readonly root: readonly TemplateNode[]
  /** Nodes of templates by the names that `define` and `block` give them. */
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>
}

/** A float64. JavaScript numbers stand for json.Number, which is a kind of string in Go. */
export class GoFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}
