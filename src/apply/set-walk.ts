import type { Steps } from '../lib/steps.ts'
import { endTurn } from '../lib/turn.ts'
import { isWide, namesOf, noteMembers } from '../lib/wide-objects.ts'
import type { Schema } from '../schema/schema.ts'
import { compareElements, type PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'

/**
 * Returns the node of an element in a new set, which is made from one or two others. Undefined if it has none. If the
 * result is an open node, its elements are walked first.
 */
export type SetRule = (open: OpenNode, element: PathElement) => FieldSet | OpenNode | undefined

/** A node of a new set that is being made from the nodes of the same path in one or two others. */
export class OpenNode {
  readonly element: PathElement
  readonly a: FieldSet
  readonly b: FieldSet
  /** Schema of the value at the path, for rules that need it. */
  readonly schema: Schema | undefined
  readonly #isMember: boolean
  /** Undefined until the elements of a wide node are listed. */
  #elements: readonly PathElement[] | undefined
  #next = 0
  /** Elements of the second node. Only unions list them. */
  #others: readonly PathElement[] | undefined
  #nextOther = 0
  /** The new node. Undefined while a small node equals the first one. */
  #out: { [element: PathElement]: FieldSet } | undefined
  #size = 0
  /** Whether all added nodes are those of the first node. */
  #isSame: boolean

  /** `isMember`: whether the path itself is in the new set. */
  constructor(element: PathElement, a: FieldSet, b: FieldSet, isMember: boolean, schema?: Schema) {
    this.element = element
    this.a = a
    this.b = b
    this.#isMember = isMember
    this.schema = schema
    if (!isWide(a)) this.#elements = namesOf(a)
    this.#isSame = isMember === (a['.'] !== undefined)
    if (!this.#isSame || this.isWide) this.#out = {}
  }

  get isWide(): boolean {
    return isWide(this.a)
  }

  /** Whether the next element cannot be taken before the elements of a wide node are listed. */
  isUnlisted(ofBoth: boolean): boolean {
    return this.#elements === undefined || (ofBoth && this.#others === undefined && isWide(this.b))
  }

  /** Lists the elements of one wide node, which takes a turn of its own. */
  list(): void {
    if (this.#elements === undefined) this.#elements = namesOf(this.a)
    else this.#others ??= namesOf(this.b)
  }

  /** Returns the next element of the first node. Undefined after the last one. */
  take(): PathElement | undefined {
    return this.#elements?.[this.#next++]
  }

  /**
   * Returns the next element of either node, in order. Returns `.`, which callers skip, for an element of the second
   * node that the first one has too.
   */
  takeOfBoth(): PathElement | undefined {
    this.#others ??= namesOf(this.b)
    const own = this.#elements?.[this.#next]
    const other = this.#others[this.#nextOther]
    if (other !== undefined && (other === '.' || this.a[other] !== undefined)) {
      this.#nextOther++
      return '.'
    }
    if (other === undefined || (own !== undefined && (own === '.' || compareElements(own, other) < 0))) {
      this.#next++
      return own
    }
    this.#nextOther++
    return other
  }

  /** Adds the node of an element. Elements must be added in order. */
  add(element: PathElement, node: FieldSet | undefined): void {
    if (node !== this.a[element]) this.#isSame = false
    if (this.#out === undefined) {
      if (this.#isSame) return
      this.#out = {}
      for (let i = 0; i < this.#next; i++) {
        const before = this.#elements?.[i]
        if (before !== undefined && before !== '.' && before !== element) this.#put(this.#out, before, this.a[before])
      }
    }
    this.#put(this.#out, element, node)
  }

  #put(out: { [element: PathElement]: FieldSet }, element: PathElement, node: FieldSet | undefined): void {
    if (node === undefined) return
    if (this.#size++ === 0 && this.#isMember) out['.'] = EMPTY
    out[element] = node
  }

  /**
   * The new node. It is the first node itself if nothing changed, so that unchanged sets stay shared. Undefined if it
   * has no paths.
   */
  get result(): FieldSet | undefined {
    if (this.#out === undefined || this.#isSame) return this.a
    if (this.#size === 0) return this.#isMember ? EMPTY : undefined
    return noteMembers(this.#out, this.#size)
  }
}

/** Elements that one step walks. */
const FEW = 512

/**
 * A walk through one set, or two in parallel. It keeps a stack, because a generator for each node would cost small sets
 * more than their elements.
 */
class SetWalk {
  result: FieldSet = EMPTY
  readonly #rule: SetRule
  readonly #isUnion: boolean
  readonly #stack: OpenNode[] = []
  #top: OpenNode | undefined

  constructor(rule: SetRule, root: OpenNode, isUnion: boolean) {
    this.#rule = rule
    this.#isUnion = isUnion
    this.#top = root
  }

  /** Walks up to 512 elements, or to the next wide node. Returns whether elements are left. */
  goOn(): boolean {
    for (let left = FEW; left > 0; left--) {
      const top = this.#top
      if (top === undefined) return false
      if (top.isUnlisted(this.#isUnion)) {
        top.list()
        endTurn()
        return true
      }
      const element = this.#isUnion ? top.takeOfBoth() : top.take()
      if (element === undefined) this.#close(top)
      else if (element !== '.') {
        const node = this.#rule(top, element)
        if (!(node instanceof OpenNode)) top.add(element, node)
        else {
          this.#stack.push(top)
          this.#top = node
          if (node.isUnlisted(this.#isUnion)) {
            endTurn()
            return true
          }
          if (node.isWide) return true
        }
      }
    }
    return true
  }

  #close(node: OpenNode): void {
    this.#top = this.#stack.pop()
    if (this.#top === undefined) this.result = node.result ?? EMPTY
    else this.#top.add(node.element, node.result)
  }
}

/**
 * Makes a set by a rule: synchronously if it is small, otherwise in steps. `isUnion`: whether elements that only the
 * second set has are walked too.
 */
export function walked(rule: SetRule, root: OpenNode, isUnion = false): FieldSet | Steps<FieldSet> {
  const walk = new SetWalk(rule, root, isUnion)
  if (!root.isWide) return walk.goOn() ? restOf(walk) : walk.result
  // The names of the root are listed in a turn of their own.
  endTurn()
  return restOf(walk)
}

function* restOf(walk: SetWalk): Steps<FieldSet> {
  do yield
  while (walk.goOn())
  return walk.result
}
