import { randomBytes } from 'node:crypto'

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** As apimachinery's names: five characters without vowels and look-alikes. */
export const nameSuffix = (): string => Array.from(randomBytes(5), byte => ALPHABET[byte % ALPHABET.length]).join('')
