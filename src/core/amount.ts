/** An amount that may be spent, in tokens or in US dollars. */
export interface Amount {
  readonly unit: 'tokens' | 'usd';
  readonly most: number;
}

/** An amount as it was recorded, perhaps by a newer zwarm. */
interface RecordedAmount {
  readonly unit: string;
  readonly most: number;
}

/** Whether there is an amount, in a unit that this version knows. */
export const isAmount = (recorded: RecordedAmount | null): recorded is Amount =>
  recorded?.unit === 'tokens' || recorded?.unit === 'usd';

/** How an amount is written, in words. */
export const AMOUNT_FORM = 'a number of tokens such as 500k or 2M, or an amount of money such as $5';
/** What the letter behind a number multiplies it by. */
export const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };

/** `500k` and `2M` are tokens, `$5` and `5.50 USD` are US dollars; null where it is neither. */
export function parseAmount(text: string): Amount | null {
  const [, usd, alsoUsd] = /^(?:\$ ?(\d{1,9}(?:\.\d{1,6})?)|(\d{1,9}(?:\.\d{1,6})?) ?USD)$/.exec(text) ?? [];
  const [, number, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)([kMG]?)$/.exec(text) ?? [];
  const money = usd ?? alsoUsd;
  const amount: Amount =
    money === undefined
      ? { unit: 'tokens', most: Math.floor(Number(number) * (UNITS[unit] ?? 1)) }
      : { unit: 'usd', most: Number(money) };
  return amount.most > 0 ? amount : null;
}
