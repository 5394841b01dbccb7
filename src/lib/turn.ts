import { TurnScheduler } from './turn-scheduler.ts'

/**
 * The turns of this process's event loop. There is one loop, so there is one scheduler for all servers in the process: two that each gave out 2 ms of a turn would hold the loop for four. It
 * keeps callbacks that wait, in order, and nothing of what they are about.
 */
const turns = new TurnScheduler()

/** Whether this turn has had its share: ask it before a piece of work, and leave that to `nextTurn` if so. */
export const turnIsSpent = (): boolean => turns.isSpent()

/** Whether something in this turn took long: for boundaries between the stages of one piece of work. */
export const turnIsLong = (): boolean => turns.isLong()

/** Calls back in the next turn, or a later one if much waits: in order. */
export const inNextTurn = (callback: () => void): void => turns.inNext(callback)

/** Calls back with the rest of what takes long, behind all that is short: in order, one a turn at least. */
export const inLongTurn = (callback: () => void): void => turns.inLong(callback)

/** Resolves in the next turn, or a later one if much waits. */
export const nextTurn = (): Promise<void> => new Promise(inNextTurn)

/** Resolves when it is the turn of long work, of which the caller does the rest. */
export const nextLongTurn = (): Promise<void> => new Promise(inLongTurn)

/** For code whose caller schedules it. */
export const SHARED_TURNS = { spent: turnIsSpent, next: nextTurn }
