import type { Steps } from './steps.ts'

/** An instruction of an expression compiled by re2js. */
interface Instruction {
  /** A value of `Op`. */
  readonly op: number
  /** Index of the next instruction. */
  readonly out: number
  /** Index of the other next instruction of `alt`; conditions of `emptyWidth`. */
  readonly arg: number
  /** Reports whether the instruction consumes a character. */
  matchRune(rune: number): boolean
}

/** An expression compiled by re2js. */
export interface RegExpProgram {
  /** Instructions. That at 0 always fails. */
  readonly inst: readonly Instruction[]
  /** Index of the first instruction. */
  readonly start: number
  /** Conditions at the beginning of a match, as bits of `Empty`. */
  startCond(): number
}

const Op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  runeAny: 10,
  runeAnyNotNewline: 11,
} as const
const Empty = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, wordBoundary: 16, noWordBoundary: 32 } as const

/** Instructions per step, which takes less than a millisecond. */
const STEP = 20_000
/** The character `\n`, which `.` does not match unless the flag `s` is set. */
const NEWLINE = 10

/** A match. Indices are UTF-16 units; `end` is exclusive. */
export interface RegExpMatch {
  readonly start: number
  readonly end: number
  /** Index up to which the search read the text. */
  readonly searchedTo: number
}

/** Threads in order of preference, each at an instruction that consumes a character or ends the match. */
class Threads {
  readonly #seen: Int32Array
  /** Instruction of each thread. */
  readonly at: Int32Array
  /** Start of each thread's match. */
  readonly from: Int32Array
  size = 0
  #round = 0

  constructor(size: number) {
    this.#seen = new Int32Array(size).fill(-1)
    this.at = new Int32Array(size)
    this.from = new Int32Array(size)
  }

  /** Removes all threads, in constant time. */
  clear(): void {
    this.size = 0
    this.#round++
  }

  /** Marks an instruction. Returns whether this is the first time in the round. */
  reach(instruction: number): boolean {
    if (this.#seen[instruction] === this.#round) return false
    this.#seen[instruction] = this.#round
    return true
  }

  /** Adds a thread, with lower preference than those before it. */
  push(instruction: number, from: number): void {
    this.at[this.size] = instruction
    this.from[this.size++] = from
  }
}

/**
 * Finds the leftmost match, and of several the preferred one, like Go's regexp. Simulates all threads at once, in time
 * that is the product of program and text length; both can be long, so it runs in steps.
 * @param shortest returns any match, for callers that only need to know whether there is one
 */
export function* searchSteps(program: RegExpProgram, text: string, begin = 0, shortest = false): Steps<RegExpMatch | undefined> {
  const { inst, start } = program
  const isAnchored = (program.startCond() & Empty.beginText) !== 0
  let threads = new Threads(inst.length)
  let next = new Threads(inst.length)
  threads.clear()
  const stack: number[] = []
  let work = 0
  let found: { readonly start: number; readonly end: number } | undefined

  /** Adds the threads that are reachable from an instruction without consuming a character. */
  const add = (to: Threads, instruction: number, from: number, condition: number): void => {
    stack.push(instruction)
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (pc === 0 || !to.reach(pc)) continue
      work++
      const { op, out, arg } = inst[pc]!
      if (op === Op.alt || op === Op.altMatch) stack.push(arg, out)
      else if (op === Op.nop || op === Op.capture) stack.push(out)
      else if (op === Op.emptyWidth) {
        if ((arg & ~condition) === 0) stack.push(out)
      } else if (op >= Op.match) to.push(pc, from)
    }
  }

  let before = begin === 0 ? -1 : text.charCodeAt(begin - 1)
  for (let at = begin; ; ) {
    const rune = text.codePointAt(at) ?? -1
    const width = rune > 0xffff ? 2 : 1
    const condition = conditionBetween(before, rune)
    if (!found && (at === 0 || !isAnchored)) add(threads, start, at, condition)
    if (threads.size === 0 && (found || isAnchored)) return found && { ...found, searchedTo: at }
    const after = conditionBetween(rune, text.codePointAt(at + width) ?? -1)
    next.clear()
    for (let i = 0; i < threads.size; i++) {
      const pc = threads.at[i]!
      const instruction = inst[pc]!
      const from = threads.from[i]!
      work++
      if (instruction.op === Op.match) {
        found = { start: from, end: at }
        if (shortest) return { ...found, searchedTo: at }
        // Threads of lower preference are dropped.
        break
      }
      if (rune >= 0 && takes(instruction, rune)) add(next, instruction.out, from, after)
    }
    if (rune < 0) return found && { ...found, searchedTo: at }
    if (work > STEP) {
      work = 0
      yield
    }
    work++
    before = rune
    at += width
    const spare = threads
    threads = next
    next = spare
  }
}

/** Reports whether an instruction consumes a character. */
function takes(instruction: Instruction, rune: number): boolean {
  if (instruction.op === Op.runeAny) return true
  return instruction.op === Op.runeAnyNotNewline ? rune !== NEWLINE : instruction.matchRune(rune)
}

/** Returns the conditions between two characters. -1 stands for the beginning or end of the text. */
function conditionBetween(before: number, after: number): number {
  let condition = isWord(before) === isWord(after) ? Empty.noWordBoundary : Empty.wordBoundary
  if (before < 0) condition |= Empty.beginText | Empty.beginLine
  if (before === NEWLINE) condition |= Empty.beginLine
  if (after < 0) condition |= Empty.endText | Empty.endLine
  if (after === NEWLINE) condition |= Empty.endLine
  return condition
}

const isWord = (rune: number): boolean =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)
