import type { Randomness } from '../lib/randomness.ts'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** As apimachinery's names: five characters without vowels and look-alikes. They are no secret, so they come from the fast source of randomness. */
export const nameSuffix = ({ number }: Randomness): string => Array.from({ length: 5 }, () => ALPHABET[Math.floor(number() * ALPHABET.length)]).join('')
