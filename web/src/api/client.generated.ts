// Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.
import { type CallOptions, type ClientOptions, createCaller } from './runtime.ts';

export interface GetArtistInput {
  params: {
    artistId: string;
  };
}

export type GetArtistResult = {
  id: string;
  name: string;
  nameEn: string | null;
  description: string;
  imageUrl: string | null;
  version: number;
};

export interface GetEventInput {
  params: {
    eventId: string;
  };
}

export type GetEventResult = {
  id: string;
  title: string;
  titleEn: string | null;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  imageUrl: string | null;
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  startsAt: string;
  doorsAt: string | null;
  saleOpensAt: string;
  saleClosesAt: string;
  hot: boolean;
  priceMinKrw: number;
  priceMaxKrw: number;
  description: string;
  descriptionEn: string | null;
  layoutId: string;
  seatCount: number;
  standingCapacity: number;
  purchaseLimit: number;
  queueEnabled: boolean;
  cancelReason: string | null;
  views: number;
  version: number;
  prices: {
    grade: string;
    priceKrw: number;
    seats: number;
  }[];
  ticketTypes: {
    id: string;
    areaId: string;
    name: string;
    nameEn: string | null;
    capacity: number;
    priceKrw: number;
  }[];
  phases: {
    tier: "diamond" | "gold" | "silver" | "general";
    opensAt: string;
  }[];
};

export type GetMeResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
};

export type GetTimeResult = {
  now: string;
};

export interface GetVenueInput {
  params: {
    venueId: string;
  };
}

export type GetVenueResult = {
  id: string;
  name: string;
  nameEn: string | null;
  address: string;
  addressEn: string | null;
  version: number;
};

export interface ListArtistsInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListArtistsResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    description: string;
    imageUrl: string | null;
    version: number;
  }[];
  nextCursor: string | null;
};

export interface ListEventsInput {
  query?: {
    q?: string | undefined;
    artistId?: string | undefined;
    status?: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled" | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListEventsResult = {
  items: {
    id: string;
    title: string;
    titleEn: string | null;
    status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
    imageUrl: string | null;
    artist: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    venue: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    startsAt: string;
    doorsAt: string | null;
    saleOpensAt: string;
    saleClosesAt: string;
    hot: boolean;
    priceMinKrw: number;
    priceMaxKrw: number;
  }[];
  nextCursor: string | null;
};

export interface LoginInput {
  body: {
    email: string;
    password: string;
  };
}

export type LoginResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
};

export type LogoutResult = undefined;

export type RefreshResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
};

export interface RegisterInput {
  body: {
    email: string;
    password: string;
    name: string;
  };
}

export type RegisterResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
};

export interface Client {
  /** GET /api/artists/{artistId} */
  getArtist(input: GetArtistInput, options?: CallOptions): Promise<GetArtistResult>;
  /** GET /api/events/{eventId} */
  getEvent(input: GetEventInput, options?: CallOptions): Promise<GetEventResult>;
  /** GET /api/auth/me */
  getMe(input?: undefined, options?: CallOptions): Promise<GetMeResult>;
  /** GET /api/time */
  getTime(input?: undefined, options?: CallOptions): Promise<GetTimeResult>;
  /** GET /api/venues/{venueId} */
  getVenue(input: GetVenueInput, options?: CallOptions): Promise<GetVenueResult>;
  /** GET /api/artists */
  listArtists(input?: ListArtistsInput, options?: CallOptions): Promise<ListArtistsResult>;
  /** GET /api/events */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<ListEventsResult>;
  /** POST /api/auth/login */
  login(input: LoginInput, options?: CallOptions): Promise<LoginResult>;
  /** POST /api/auth/logout */
  logout(input?: undefined, options?: CallOptions): Promise<LogoutResult>;
  /** POST /api/auth/refresh */
  refresh(input?: undefined, options?: CallOptions): Promise<RefreshResult>;
  /** POST /api/auth/register */
  register(input: RegisterInput, options?: CallOptions): Promise<RegisterResult>;
}

export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options);
  return {
    getArtist: (input, options) => call('GET', '/api/artists/{artistId}', input, options),
    getEvent: (input, options) => call('GET', '/api/events/{eventId}', input, options),
    getMe: (input, options) => call('GET', '/api/auth/me', input, options),
    getTime: (input, options) => call('GET', '/api/time', input, options),
    getVenue: (input, options) => call('GET', '/api/venues/{venueId}', input, options),
    listArtists: (input, options) => call('GET', '/api/artists', input, options),
    listEvents: (input, options) => call('GET', '/api/events', input, options),
    login: (input, options) => call('POST', '/api/auth/login', input, options),
    logout: (input, options) => call('POST', '/api/auth/logout', input, options),
    refresh: (input, options) => call('POST', '/api/auth/refresh', input, options),
    register: (input, options) => call('POST', '/api/auth/register', input, options),
  };
}
