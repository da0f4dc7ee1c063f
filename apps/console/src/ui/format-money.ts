/** @param currency an ISO 4217 code */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
