import type { Randomness } from '../lib/randomness.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/**
 * Suffix of generated names, as apimachinery makes it: five characters without vowels and look-alikes. Not a secret, so
 * the fast random source suffices.
 */
export const nameSuffix = ({ number }: Randomness): string =>
  Array.from({ length: 5 }, () => ALPHABET[Math.floor(number() * ALPHABET.length)]).join('')
