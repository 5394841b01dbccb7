import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { endTurn } from '../lib/turn.ts'
import { isWide, MANY_MEMBERS, memberNames, namesOf, noteCopy, noteMembers } from '../lib/wide-objects.ts'
import { unionNodes } from './field-set.ts'
import { canonicalElement, compareElements, type PathElement } from './path-element.ts'
import { EMPTY, type FieldSet } from './set-node.ts'

/** Go's error of a document, or of a member, that is not an object. */
const NO_OBJECT = 'ReadMapCB: expect { or n'

/** Decoded sets by document. A set that was encoded by `toFieldsV1` is its own document. */
const read = new WeakMap<object, FieldSet>()

/**
 * Decodes a FieldsV1 document to a canonical, sorted set. Elements with unknown prefixes are dropped. Runs in steps if
 * the document is wide and was not decoded before. Throws an Error, possibly from the steps, if the document is
 * malformed. The document must not change afterwards: results are kept by its identity.
 */
export function fromFieldsV1(fields: Json | undefined): FieldSet | Steps<FieldSet> {
  if (fields === undefined || fields === null) return EMPTY
  if (!isJsonObject(fields)) throw new Error(NO_OBJECT)
  const known = read.get(fields)
  if (known !== undefined) return known
  const reading = new Reading(fields)
  return !reading.isWide && !reading.goOn() ? cacheFieldSet(fields, reading.result) : restOf(fields, reading)
}

function* restOf(fields: JsonObject, reading: Reading): Steps<FieldSet> {
  do yield
  while (reading.goOn())
  return cacheFieldSet(fields, reading.result)
}

function cacheFieldSet(fields: JsonObject, set: FieldSet): FieldSet {
  read.set(fields, set)
  return set
}

/** Encodes a set as FieldsV1. The result is the set itself and must not be changed. */
export function toFieldsV1(set: FieldSet): JsonObject {
  read.set(set, set)
  return set
}

/** Members that one step reads. */
const FEW = 512

/** A node of a document that is being decoded. */
class ReadNode {
  readonly element: PathElement
  /** Keys of the document. Undefined until those of a wide one are listed. */
  texts: readonly string[] | undefined
  next = 0
  readonly #document: JsonObject
  #nodes: { [element: PathElement]: FieldSet } = {}
  #isMember = false
  #last: PathElement | undefined
  #isSorted = true
  #ordering: Steps<FieldSet> | undefined

  constructor(element: PathElement, document: JsonObject, texts?: readonly string[]) {
    this.element = element
    this.#document = document
    this.texts = texts
  }

  /** Lists the keys of a wide document, which takes a turn of its own. */
  list(): void {
    this.texts = namesOf(this.#document)
  }

  /** The value of a member. */
  at(text: string): Json | undefined {
    return this.#document[text]
  }

  /**
   * Adds the node's own path. In a sorted document `.` comes first, so that the node, which may be wide, needs no copy.
   */
  addItself(): void {
    this.#isMember = true
    if (this.#last === undefined) this.#nodes['.'] = EMPTY
  }

  add(element: PathElement, node: FieldSet): void {
    const before = this.#nodes[element]
    this.#nodes[element] = before === undefined ? node : unionNodes(before, node)
    if (this.#last !== undefined && compareElements(this.#last, element) >= 0) this.#isSorted = false
    this.#last = element
  }

  /** Returns the finished node. Undefined if sorting it needs another step: call again. */
  finish(isRoot: boolean): FieldSet | undefined {
    if (this.#last === undefined) return EMPTY
    // The root is not a path.
    const isMember = this.#isMember && !isRoot
    if (this.#isSorted && isMember === (this.#nodes['.'] !== undefined)) return noteMembers(this.#nodes, this.texts?.length ?? 0)
    this.#ordering ??= this.#ordered(isMember)
    const { done, value } = this.#ordering.next()
    return done ? value : undefined
  }

  *#ordered(isMember: boolean): Steps<FieldSet> {
    const nodes = noteMembers(this.#nodes, this.texts?.length ?? 0)
    const elements = (yield* memberNames(nodes)).filter(element => element !== '.')
    const out = noteCopy<{ [element: PathElement]: FieldSet }>(nodes, isMember ? { '.': EMPTY } : {})
    for (const element of yield* sortInSteps(elements, compareElements)) {
      if (isStepDone()) yield
      out[element] = this.#nodes[element] ?? EMPTY
    }
    return out
  }
}

const NO_KEYS: readonly string[] = []

/** State of decoding a document. */
class Reading {
  result: FieldSet = EMPTY
  readonly isWide: boolean
  readonly #stack: ReadNode[] = []
  #top: ReadNode | undefined

  constructor(document: JsonObject) {
    this.#top = new ReadNode('', document, isWide(document) ? undefined : namesOf(document))
    this.isWide = isWide(document)
  }

  /**
   * Reads up to 512 members, or to the next wide node. Returns whether members are left. Throws an Error if the
   * document is malformed.
   */
  goOn(): boolean {
    for (let left = FEW; left > 0; left--) {
      const top = this.#top
      if (top === undefined) return false
      if (top.texts === undefined) {
        top.list()
        endTurn()
        return true
      }
      const text = top.texts[top.next++]
      if (text === undefined) {
        // Small nodes are sorted in this step.
        if (!this.#finish(top) && top.texts.length > MANY_MEMBERS) return true
      } else if (text === '.') top.addItself()
      else if (this.#member(top, text)) return true
    }
    return true
  }

  /** Adds a finished node to its parent. Returns whether it is finished. */
  #finish(node: ReadNode): boolean {
    const made = node.finish(this.#stack.length === 0)
    if (made === undefined) return false
    this.#top = this.#stack.pop()
    if (this.#top === undefined) this.result = made
    else this.#top.add(node.element, made)
    return true
  }

  /** Adds the element of a member, or opens its node. Returns whether the node is wide. */
  #member(top: ReadNode, text: string): boolean {
    const element = canonicalElement(text)
    if (element === undefined) return false
    const document = top.at(text) ?? null
    if (document !== null && !isJsonObject(document)) throw new Error(NO_OBJECT)
    const isUnlisted = document !== null && isWide(document)
    const texts = document === null || isUnlisted ? NO_KEYS : namesOf(document)
    if (document === null || (!isUnlisted && texts.length === 0)) {
      top.add(element, EMPTY)
      return false
    }
    this.#stack.push(top)
    this.#top = new ReadNode(element, document, isUnlisted ? undefined : texts)
    if (isUnlisted) endTurn()
    return isUnlisted || texts.length > MANY_MEMBERS
  }
}
