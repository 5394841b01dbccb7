/** Types of the functions that are used here. */
declare module 'fs-native-extensions' {
  /**
   * Locks a range of an open file until it is unlocked or the file is closed. False if another open file holds a lock
   * on the range. Throws errors of the system.
   */
  export function tryLock(descriptor: number, offset: number, length: number): boolean
}
