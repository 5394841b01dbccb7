import { isStepDone, type Steps } from '../lib/steps.ts'
import type { Schema } from '../schema/schema.ts'
import { compareElements, type PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'

/** How a new set is made of one or two others: what it has of an element of an open node. Undefined: nothing. An open node is made first, of the elements below. */
export type SetRule = (open: OpenNode, element: PathElement) => FieldSet | OpenNode | undefined

/** From so many elements on, listing them takes milliseconds. */
const WIDE = 4096

/** A node of a new set that is being made of the nodes of its path in one or two others. */
export class OpenNode {
  readonly element: PathElement
  readonly a: FieldSet
  readonly b: FieldSet
  readonly schema: Schema | undefined
  /** Whether the path itself is in the new set. */
  private readonly isMember: boolean
  private readonly elements: readonly PathElement[]
  private next = 0
  /** Elements that only the second node may have. Undefined: none is wanted, or they are not listed yet. */
  private others: readonly PathElement[] | undefined
  private nextOther = 0
  private readonly isUnion: boolean
  private readonly out: { [element: PathElement]: FieldSet } = {}
  private size = 0
  private isSame: boolean

  /** `isUnion`: elements that only the second node has are in the new one as well. `schema`: of the value at the path, for rules that ask for it. */
  constructor(element: PathElement, a: FieldSet, b: FieldSet, isMember: boolean, { isUnion = false, schema }: { isUnion?: boolean; schema?: Schema } = {}) {
    this.element = element
    this.a = a
    this.b = b
    this.isMember = isMember
    this.isUnion = isUnion
    this.schema = schema
    this.isSame = isMember === (a['.'] !== undefined)
    this.elements = Object.keys(a)
  }

  get isWide(): boolean {
    return this.elements.length > WIDE
  }

  /** The next element; `.` if there is nothing to do for it, undefined after the last one. */
  take(): PathElement | undefined {
    const own = this.elements[this.next]
    if (!this.isUnion || own === '.') {
      this.next++
      return own
    }
    this.others ??= Object.keys(this.b)
    const other = this.others[this.nextOther]
    if (other !== undefined && (other === '.' || this.a[other] !== undefined)) {
      this.nextOther++
      return '.'
    }
    if (other === undefined || (own !== undefined && compareElements(own, other) < 0)) {
      this.next++
      return own
    }
    this.nextOther++
    return other
  }

  /** Adds the node of an element, after those of all elements before it. */
  add(element: PathElement, node: FieldSet | undefined): void {
    if (node !== this.a[element]) this.isSame = false
    if (node === undefined) return
    if (this.size++ === 0 && this.isMember) this.out['.'] = EMPTY
    this.out[element] = node
  }

  /** The new node: the first of the two if it has not changed, so that unchanged sets stay shared. Undefined: no path of it is in the new set. */
  get result(): FieldSet | undefined {
    if (this.size === 0) return this.isMember ? EMPTY : undefined
    return this.isSame ? this.a : this.out
  }
}

/** Walks a set, or two at once, an element a step. It keeps a stack, because a generator for each node would cost small sets more than their elements. */
class SetWalk {
  result: FieldSet = EMPTY
  /** The last step has listed the elements of a wide node. */
  isLong = false
  private readonly rule: SetRule
  private readonly stack: OpenNode[]

  constructor(rule: SetRule, root: OpenNode) {
    this.rule = rule
    this.stack = [root]
    this.isLong = root.isWide
  }

  /** Returns whether there is more to do. */
  step(): boolean {
    const { stack } = this
    const top = stack[stack.length - 1]
    if (top === undefined) return false
    const element = top.take()
    if (element === undefined) {
      stack.pop()
      const parent = stack[stack.length - 1]
      if (parent === undefined) this.result = top.result ?? EMPTY
      else parent.add(top.element, top.result)
    } else if (element !== '.') {
      const node = this.rule(top, element)
      if (node instanceof OpenNode) {
        stack.push(node)
        this.isLong = node.isWide
      } else top.add(element, node)
    }
    return true
  }
}

/** Steps of a walk that is made at once. */
const FEW = 512

/** The set that a rule makes, from its root on: at once if it is small, else in steps. */
export function walked(rule: SetRule, root: OpenNode): FieldSet | Steps<FieldSet> {
  const walk = new SetWalk(rule, root)
  for (let left = FEW; !walk.isLong && left > 0; left--) if (!walk.step()) return walk.result
  return restOf(walk)
}

function* restOf(walk: SetWalk): Steps<FieldSet> {
  do {
    if (!walk.isLong && !isStepDone()) continue
    walk.isLong = false
    yield
  } while (walk.step())
  return walk.result
}
