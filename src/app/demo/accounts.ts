import type { SeedUser } from '#modules/auth/index.ts';

const buyersMax = 20;

/** Somebody for every role. They all have the same password, which is printed at the start. */
export function demoAccounts(password: string): readonly SeedUser[] {
  return [
    { email: sellerEmail, name: '판매자', role: 'seller', password },
    { email: 'admin@urr.test', name: '관리자', role: 'admin', password },
    { email: 'operator@urr.test', name: '운영자', role: 'operator', password },
    ...Array.from({ length: buyersMax }, (_, index) => ({
      email: `buyer${index + 1}@urr.test`,
      name: `관객 ${index + 1}`,
      role: 'buyer' as const,
      password,
    })),
  ];
}

/** Everything that is shown belongs to this one. */
export const sellerEmail = 'seller@urr.test';
