// The Worker that trains: with the module that can, on one thread, which is as quick for models this small.
import { loadTril } from 'tril/training';
import { serve } from '../serve';
import { work } from './sessions';

serve(loadTril, work);
