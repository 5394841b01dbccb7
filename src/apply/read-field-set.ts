import { isStepDone, type Steps, sorted } from '../lib/steps.ts'
import { isJsonObject, type Json, type JsonObject } from '../meta/object.ts'
import { unionNodes } from './field-set.ts'
import { canonicalElement, compareElements, type PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'

/** Sets by the documents that they were read from; a set that this code has made is its own document. */
const read = new WeakMap<object, FieldSet>()

/**
 * The set that a FieldsV1 document says: canonical, sorted, without elements of unknown kinds. At once if it is small or known, else in steps. Throws an Error, or the steps do, when
 * malformed. The document must not change.
 */
export function fromFieldsV1(fields: JsonObject | undefined | null): FieldSet | Steps<FieldSet> {
  if (fields === undefined || fields === null) return EMPTY
  const known = read.get(fields)
  if (known !== undefined) return known
  const reading = new Reading(fields)
  for (let left = FEW; !reading.isLong && left > 0; left--) if (!reading.step()) return keep(fields, reading.result)
  return restOf(fields, reading)
}

/** Steps of a reading that is made at once. */
const FEW = 512

function* restOf(fields: JsonObject, reading: Reading): Steps<FieldSet> {
  do {
    if (!reading.isLong && !isStepDone()) continue
    reading.isLong = false
    yield
  } while (reading.step())
  return keep(fields, reading.result)
}

function keep(fields: JsonObject, set: FieldSet): FieldSet {
  read.set(fields, set)
  return set
}

/** The document of a set, which is the set itself: not to be changed. */
export function toFieldsV1(set: FieldSet): JsonObject {
  read.set(set, set)
  return set
}

/** From so many members on, listing them takes milliseconds. */
const WIDE = 4096

/** A node of a document that is being read. */
class ReadNode {
  readonly element: PathElement
  readonly texts: readonly string[]
  next = 0
  private readonly document: JsonObject
  private nodes: { [element: PathElement]: FieldSet } = {}
  private isMember = false
  private last: PathElement | undefined
  private isSorted = true
  private ordering: Steps<FieldSet> | undefined

  constructor(element: PathElement, document: JsonObject) {
    this.element = element
    this.document = document
    this.texts = Object.keys(document)
  }

  /** What stands below a text. */
  at(text: string): Json | undefined {
    return this.document[text]
  }

  /** The path itself is in the set. Where that is said first, as it is written, the node need not be made again: it may be wide. */
  addItself(): void {
    this.isMember = true
    if (this.last === undefined) this.nodes['.'] = EMPTY
  }

  add(element: PathElement, node: FieldSet): void {
    const before = this.nodes[element]
    this.nodes[element] = before === undefined ? node : unionNodes(before, node)
    if (this.last !== undefined && compareElements(this.last, element) >= 0) this.isSorted = false
    this.last = element
  }

  /** The node, of which all is read. Undefined: it takes one more step. */
  finish(isRoot: boolean): FieldSet | undefined {
    if (this.last === undefined) return EMPTY
    // The root is no path.
    const isMember = this.isMember && !isRoot
    if (this.isSorted && isMember === (this.nodes['.'] !== undefined)) return this.nodes
    this.ordering ??= this.ordered(isMember)
    const { done, value } = this.ordering.next()
    return done ? value : undefined
  }

  private *ordered(isMember: boolean): Steps<FieldSet> {
    const elements = Object.keys(this.nodes).filter(element => element !== '.')
    const out: { [element: PathElement]: FieldSet } = isMember ? { '.': EMPTY } : {}
    for (const element of yield* sorted(elements, compareElements)) {
      if (isStepDone()) yield
      out[element] = this.nodes[element] ?? EMPTY
    }
    return out
  }
}

/** Reads a document, a member a step. */
class Reading {
  result: FieldSet = EMPTY
  /** The last step took long. */
  isLong: boolean
  private readonly stack: ReadNode[]

  constructor(document: JsonObject) {
    const root = new ReadNode('', document)
    this.stack = [root]
    this.isLong = root.texts.length > WIDE
  }

  /** Returns whether there is more to do. Throws an Error if the document is malformed. */
  step(): boolean {
    const { stack } = this
    const top = stack[stack.length - 1]
    if (top === undefined) return false
    const text = top.texts[top.next]
    if (text === undefined) return this.finish(top)
    top.next++
    if (text === '.') top.addItself()
    else this.member(top, text)
    return true
  }

  private finish(top: ReadNode): boolean {
    const { stack } = this
    const node = top.finish(stack.length === 1)
    this.isLong = top.texts.length > WIDE
    if (node === undefined) return true
    stack.pop()
    const parent = stack[stack.length - 1]
    if (parent === undefined) this.result = node
    else parent.add(top.element, node)
    return true
  }

  private member(top: ReadNode, text: string): void {
    const element = canonicalElement(text)
    if (element === undefined) return
    const document = top.at(text) ?? null
    if (document === null) top.add(element, EMPTY)
    else if (!isJsonObject(document)) throw new Error('ReadMapCB: expect { or n')
    else {
      const node = new ReadNode(element, document)
      if (node.texts.length === 0) top.add(element, EMPTY)
      else {
        this.stack.push(node)
        this.isLong = node.texts.length > WIDE
      }
    }
  }
}
